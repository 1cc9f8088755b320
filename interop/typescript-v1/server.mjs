// A server of the TypeScript SDK 1.x. Arguments: stdio | stateful | stateless.
import { randomUUID } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import express from 'express';
import * as z from 'zod';

function build() {
  const server = new McpServer({ name: 'interop-typescript-v1', version: '1.0.0' });
  server.registerTool(
    'echo',
    { description: 'Return the text', inputSchema: { text: z.string() } },
    async ({ text }) => ({ content: [{ type: 'text', text }] }),
  );
  server.registerTool(
    'add',
    { description: 'Add two numbers', inputSchema: { a: z.number(), b: z.number() } },
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
    { description: 'Ask for a review', argsSchema: { code: z.string() } },
    ({ code }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `Review ${code}` } }],
    }),
  );
  return server;
}

function refuse(response, status, message) {
  response.status(status).json({ jsonrpc: '2.0', error: { code: -32000, message }, id: null });
}

function stateful(app) {
  const transports = {};
  const bySession = async (request, response) => {
    const transport = transports[request.headers['mcp-session-id']];
    if (!transport) {
      return refuse(response, 400, 'Bad Request: No valid session ID provided');
    }
    await transport.handleRequest(request, response, request.body);
  };
  app.post('/mcp', async (request, response) => {
    if (request.headers['mcp-session-id'] || !isInitializeRequest(request.body)) {
      return bySession(request, response);
    }
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        transports[id] = transport;
      },
    });
    transport.onclose = () => delete transports[transport.sessionId];
    await build().connect(transport);
    await transport.handleRequest(request, response, request.body);
  });
  app.get('/mcp', bySession);
  app.delete('/mcp', bySession);
}

function stateless(app) {
  app.post('/mcp', async (request, response) => {
    const server = build();
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    response.on('close', () => {
      transport.close();
      server.close();
    });
    await server.connect(transport);
    await transport.handleRequest(request, response, request.body);
  });
  const notAllowed = (_request, response) => refuse(response, 405, 'Method not allowed.');
  app.get('/mcp', notAllowed);
  app.delete('/mcp', notAllowed);
}

const [mode] = process.argv.slice(2);
if (mode === 'stdio') {
  await build().connect(new StdioServerTransport());
} else {
  const app = express();
  app.use(express.json());
  (mode === 'stateless' ? stateless : stateful)(app);
  app.listen(Number(process.env.PORT), '127.0.0.1');
}
