import { readFileSync } from 'node:fs';
import { GatewayStand } from '../testing/gateway.fixture';
import { send } from '../testing/http.fixture';
import { DOCUMENT_FILE } from './document-file';

const stand = new GatewayStand();

beforeAll(() => stand.start());

afterAll(() => stand.stop());

const get = (path: string) => send(stand.url(path), { method: 'GET' });

it('is public', async () => {
  const { status, headers, text } = await get('/v1/openapi.json');
  expect({ status, type: headers['content-type'] }).toEqual({
    status: 200,
    type: 'application/json; charset=utf-8',
  });
  expect(text).toBe(readFileSync(DOCUMENT_FILE, 'utf8'));
});

it('has a page, whose parts all come from this server', async () => {
  const { status, headers, text } = await get('/v1/docs');
  expect(status).toBe(200);
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
  const parts = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, part = '']) => part);
  expect(parts).toHaveLength(3);
  for (const part of parts) expect((await get(part)).status).toBe(200);
});

it('has no other parts', async () => {
  expect((await get('/v1/docs/package.json')).status).toBe(404);
  expect((await get('/v1/docs/..%2fpackage.json')).status).toBe(404);
});
