// One factory, served as the SDK's guides show. Arguments: stdio|http, then
// "modern-only" to refuse clients of the handshake revisions.
import { createServer } from 'node:http';
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

function build() {
  const server = new McpServer({ name: 'interop-typescript-v2', version: '1.0.0' });
  server.registerTool(
    'echo',
    { description: 'Return the text', inputSchema: z.object({ text: z.string() }) },
    async ({ text }) => ({ content: [{ type: 'text', text }] }),
  );
  server.registerTool(
    'add',
    { description: 'Add two numbers', inputSchema: z.object({ a: z.number(), b: z.number() }) },
    async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
  );
  server.registerResource(
    'greeting',
    'interop://greeting',
    { mimeType: 'text/plain' },
    async (uri) => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'hello' }] }),
  );
  server.registerPrompt(
    'review',
    { description: 'Ask for a review', argsSchema: z.object({ code: z.string() }) },
    ({ code }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `Review ${code}` } }],
    }),
  );
  return server;
}

const [transport, mode] = process.argv.slice(2);
const options = mode === 'modern-only' ? { legacy: 'reject' } : {};
if (transport === 'http') {
  const handler = toNodeHandler(createMcpHandler(build, options));
  const hostAllowed = localhostHostValidation();
  const originAllowed = localhostOriginValidation();
  createServer((request, response) => {
    if (hostAllowed(request, response) && originAllowed(request, response)) {
      void handler(request, response);
    }
  }).listen(Number(process.env.PORT), '127.0.0.1');
} else {
  serveStdio(build, options);
}
