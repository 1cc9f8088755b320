// A server of tmcp, an independent implementation. Argument: stdio | http.
import { createServer } from 'node:http';
import { createRequestListener } from '@remix-run/node-fetch-server';
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { HttpTransport } from '@tmcp/transport-http';
import { StdioTransport } from '@tmcp/transport-stdio';
import { McpServer } from 'tmcp';
import { prompt, resource, tool } from 'tmcp/utils';
import { z } from 'zod';

const server = new McpServer(
  { name: 'interop-tmcp', version: '1.0.0', description: 'A small server' },
  {
    adapter: new ZodJsonSchemaAdapter(),
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true },
    },
  },
);
server.tool(
  { name: 'echo', description: 'Return the text', schema: z.object({ text: z.string() }) },
  async ({ text }) => tool.text(text),
);
server.tool(
  { name: 'add', description: 'Add', schema: z.object({ a: z.number(), b: z.number() }) },
  async ({ a, b }) => tool.text(String(a + b)),
);
server.resource(
  { name: 'greeting', description: 'Say hello', uri: 'interop://greeting' },
  async (uri) => resource.text(uri, 'hello', 'text/plain'),
);
server.prompt(
  { name: 'review', description: 'Ask for a review', schema: z.object({ code: z.string() }) },
  async ({ code }) => prompt.message(`Review ${code}`),
);

if (process.argv[2] === 'http') {
  const transport = new HttpTransport(server, { path: '/mcp' });
  createServer(
    createRequestListener(async (request) => {
      const response = await transport.respond(request);
      return response ?? new Response(null, { status: 404 });
    }),
  ).listen(Number(process.env.PORT), '127.0.0.1');
} else {
  new StdioTransport(server).listen();
}
