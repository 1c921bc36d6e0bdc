import { createPenstockClient } from './client';

interface Sent {
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
}

const clientOf = (text: string, status = 200, headers: Record<string, string> = {}) => {
  const sent: Sent[] = [];
  const client = createPenstockClient({
    baseUrl: 'http://penstock.example',
    apiKey: 'pk_1',
    workspace: 'workspace0000001',
    fetch: async (request) => {
      sent.push({ url: request.url, headers: request.headers, body: await request.text() });
      return new Response(text, { status, headers });
    },
  });
  return { client, sent };
};

const PIPELINE = { params: { path: { id: 'pipeline0000001' } } };

it('sends key, workspace and parameters', async () => {
  const { client, sent } = clientOf('{"id":"connection00001"}');
  const { data } = await client.GET('/v1/connections/{id}', {
    params: { path: { id: 'connection00001' }, query: { at: '2026-03-01T09:30:00Z' } },
  });
  expect(data?.id).toBe('connection00001');
  expect(sent[0]?.url).toBe(
    'http://penstock.example/v1/connections/connection00001?at=2026-03-01T09%3A30%3A00Z',
  );
  expect(sent[0]?.headers.get('authorization')).toBe('Bearer pk_1');
  expect(sent[0]?.headers.get('penstock-workspace')).toBe('workspace0000001');
});

it.each<[title: string, headers: Record<string, string>]>([
  ['of a known length', { 'Content-Length': '70' }],
  ['of an unknown length', {}],
])('keeps every digit of integers in answers %s', async (_, headers) => {
  const text = '{"users":[{"id":9223372036854775807,"price":1.5}],"cursor":""}';
  const { client } = clientOf(text, 200, headers);
  const { data } = await client.GET('/v1/connections/{id}/users', {
    params: { path: { id: 'connection00001' }, query: { schema: '{}' } },
  });
  expect(data?.users).toEqual([{ id: 9223372036854775807n, price: 1.5 }]);
});

it('keeps every digit of integers in bodies', async () => {
  const { client, sent } = clientOf('');
  const type = { kind: 'int' as const, bitSize: 64 as const, maximum: 2n ** 63n - 1n };
  await client.PUT('/v1/pipelines/{id}', {
    ...PIPELINE,
    body: {
      name: 'Carts',
      outSchema: { kind: 'object' as const, properties: [{ name: 'id', type }] },
    },
  });
  expect(sent[0]?.body).toContain('"maximum":9223372036854775807}');
});

it('returns no data for an answer without a body', async () => {
  const { client } = clientOf('');
  const { data, error, response } = await client.DELETE('/v1/pipelines/{id}', PIPELINE);
  expect({ data, error, status: response.status }).toEqual({
    data: undefined,
    error: undefined,
    status: 200,
  });
});

it('returns the error of a refused request', async () => {
  const error = { error: { code: 'PipelineNotExist', message: 'pipeline does not exist' } };
  const { client } = clientOf(JSON.stringify(error), 404);
  const answer = await client.DELETE('/v1/pipelines/{id}', PIPELINE);
  expect(answer.error).toEqual(error);
  expect(answer.response.status).toBe(404);
});
