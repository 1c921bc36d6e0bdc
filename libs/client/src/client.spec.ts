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

const SCHEMA = {
  kind: 'object' as const,
  properties: [
    { name: 'id', type: { kind: 'int' as const, bitSize: 64 as const, maximum: 2n ** 63n - 1n } },
  ],
};

const SCHEMA_TEXT =
  '{"kind":"object","properties":[{"name":"id","type":{"kind":"int","bitSize":64,"maximum":9223372036854775807}}]}';

it('says who asks, for which workspace, and what', async () => {
  const { client, sent } = clientOf('{"id":"pipeline0000001"}');
  const { data } = await client.GET('/v1/connections/{id}', {
    params: { path: { id: 'connection00001' } },
  });
  expect(data?.id).toBe('pipeline0000001');
  expect(sent[0]?.url).toBe('http://penstock.example/v1/connections/connection00001');
  expect(sent[0]?.headers.get('authorization')).toBe('Bearer pk_1');
  expect(sent[0]?.headers.get('penstock-workspace')).toBe('workspace0000001');
});

it.each<[title: string, headers: Record<string, string>]>([
  ['with a length', { 'Content-Length': '83' }],
  ['without', {}],
])('keeps every digit of integers in answers %s', async (_, headers) => {
  const text =
    '{"users":[{"id":9223372036854775807,"small":-9007199254740991,"price":1.5}],"cursor":""}';
  const { client, sent } = clientOf(text, 200, headers);
  const { data } = await client.GET('/v1/connections/{id}/users', {
    params: { path: { id: 'connection00001' }, query: { schema: SCHEMA } },
  });
  expect(data?.users).toEqual([{ id: 9223372036854775807n, small: -9007199254740991, price: 1.5 }]);
});

it('keeps every digit of integers in bodies, and leaves out what is undefined', async () => {
  const { client, sent } = clientOf('', 200, { 'Content-Length': '0' });
  await client.PUT('/v1/pipelines/{id}', {
    params: { path: { id: 'pipeline0000001' } },
    body: { name: 'Carts', outSchema: SCHEMA, ...{ enabled: undefined } },
  });
  expect(sent[0]?.body).toBe(`{"name":"Carts","outSchema":${SCHEMA_TEXT}}`);
});

it('gives the error that the API answers', async () => {
  const error = { error: { code: 'PipelineNotExist', message: 'pipeline does not exist' } };
  const { client } = clientOf(JSON.stringify(error), 404);
  const answer = await client.DELETE('/v1/pipelines/{id}', {
    params: { path: { id: 'pipeline0000001' } },
  });
  expect(answer.error).toEqual(error);
  expect(answer.response.status).toBe(404);
});
