import { createGuardedHttp } from '../../egress/undici-guarded-http';
import { SELF_SIGNED } from '@penstock/test-servers';
import { badPaths, checked } from '../../settings-table.fixture';
import { maskSettings } from '../../connector/mask-settings';
import { parseJson, writeJson } from '@penstock/schema';
import { BAD_PATHS, connected, contentOf, faultOf, LONGEST_PATH } from '../storage.fixture';
import { TlsStub } from '../tls-stub.fixture';
import { httpGetConnector } from './http-get-connector';

const http = createGuardedHttp({ allow: ['127.0.0.0/8'], authorities: SELF_SIGNED.cert });
let stub: TlsStub;

beforeEach(async () => {
  stub = await TlsStub.start();
});
afterEach(() => stub.close());
afterAll(() => http.close());

const storage = (more: object = {}, way = http, signal?: AbortSignal) =>
  connected(httpGetConnector, { host: 'localhost', port: stub.port, ...more }, way, signal);

it('reads over https, with the headers of the settings', async () => {
  const at = 'Wed, 21 Oct 2026 07:28:00 GMT';
  stub.answer = (_, response) =>
    response
      .writeHead(200, { 'Last-Modified': at, ETag: '"v1"', 'Content-Length': '5' })
      .end('hällo'.slice(0, 4));
  const file = await storage({ headers: [{ key: 'Authorization', value: 'Bearer secret' }] }).open(
    '/a b/ü.csv?x=1&y=a/b',
  );
  expect(file).toMatchObject({ modifiedAt: new Date(at), tag: '"v1"', size: 5 });
  expect(await contentOf(file)).toBe('häll');
  const [request] = stub.requests;
  expect(request).toMatchObject({ method: 'GET', url: '/a%20b/%C3%BC.csv?x=1&y=a/b' });
  expect(request?.headers).toMatchObject({
    authorization: 'Bearer secret',
    'accept-encoding': 'identity',
    'user-agent': expect.stringMatching(/^penstock\//) as string,
  });
});

it('reads files of any size, beyond what other answers may have', async () => {
  stub.answer = (_, response) => {
    for (let n = 0; n < 80; n += 1) response.write('x'.repeat(65_536));
    response.end();
  };
  const file = await storage().open('large.csv');
  expect(file).toMatchObject({ size: undefined, modifiedAt: undefined, tag: undefined });
  expect((await contentOf(file)).length).toBe(80 * 65_536);
});

it('follows redirects without giving the headers to other servers', async () => {
  stub.answer = (request, response) => {
    if (request.url === '/old.csv')
      response.writeHead(302, { Location: `https://127.0.0.1:${String(stub.port)}/new.csv` }).end();
    else response.end('content');
  };
  const file = await storage({ headers: [{ key: 'X-Token', value: 'secret' }] }).open('old.csv');
  expect(await contentOf(file)).toBe('content');
  expect(stub.requests.map(({ headers }) => headers['x-token'])).toEqual(['secret', undefined]);
});

const NO_ACCESS = ': the server refuses access; check the credentials of the connection';

it.each([
  [404, 'InvalidPath', 'there is no such file'],
  [410, 'InvalidPath', 'there is no such file'],
  [204, 'Refused', 'answered 204'],
  [206, 'Refused', 'answered 206'],
  [401, 'Refused', `answered 401${NO_ACCESS}`],
  [403, 'Refused', `answered 403${NO_ACCESS}`],
  [400, 'Refused', 'answered 400'],
  [408, 'Unavailable', 'answered 408'],
  [429, 'Unavailable', 'answered 429'],
  [500, 'Unavailable', 'answered 500'],
])('refuses an answer of %i', async (status, ...fault) => {
  stub.answer = (_, response) => response.writeHead(status).end();
  expect(await faultOf(() => storage().open('a.csv'))).toEqual(fault);
});

it('gives up redirects in a loop', async () => {
  stub.answer = (_, response) => response.writeHead(302, { Location: '/a.csv' }).end();
  expect(await faultOf(() => storage().open('a.csv'))).toEqual([
    'Refused',
    'answered 302: the server redirects too often, or to where no request may follow; check the address',
  ]);
});

it('reports a body that ends early', async () => {
  stub.answer = (_, response) => {
    response.writeHead(200, { 'Content-Length': '1000' });
    response.write('half');
    setTimeout(() => response.socket?.destroy(), 50);
  };
  const file = await storage().open('a.csv');
  expect((await faultOf(() => contentOf(file)))[0]).toBe('Unavailable');
});

it('ends with its caller', async () => {
  const controller = new AbortController();
  stub.answer = (_, response) => void response.writeHead(200).write('half');
  const file = await storage({}, http, controller.signal).open('a.csv');
  const reading = file.bytes[Symbol.asyncIterator]();
  await reading.next();
  controller.abort();
  expect(await faultOf(() => reading.next())).toEqual(['Unavailable', 'request was given up']);
});

it('ends the connection of a file that is not read to its end', async () => {
  const seen = { closed: false };
  stub.answer = (_, response) => {
    response.on('close', () => (seen.closed = true));
    response.writeHead(200).write('half');
  };
  const file = await storage().open('a.csv');
  await file.close();
  await file.close();
  while (!seen.closed) await new Promise((resolve) => setImmediate(resolve));
});

it('connects to nothing that the operator did not allow, and trusts no other certificates', async () => {
  const guarded = createGuardedHttp({ allow: [], authorities: SELF_SIGNED.cert });
  const strict = createGuardedHttp({ allow: ['127.0.0.0/8'] });
  expect(await faultOf(() => storage({}, guarded).open('a.csv'))).toEqual([
    'Refused',
    'address is not allowed by the egress rules',
  ]);
  expect((await faultOf(() => storage({}, strict).open('a.csv')))[1]).toMatch(/not trusted/);
  expect(stub.requests).toEqual([]);
  await Promise.all([guarded.close(), strict.close()]);
});

it.each(BAD_PATHS)('refuses the path %j: %s', async (path, kind) => {
  expect((await faultOf(() => storage().open(path)))[0]).toBe(kind);
  expect((await faultOf(() => storage().absolutePath(path)))[0]).toBe(kind);
  expect(stub.requests).toEqual([]);
});

it.each([
  [{}, 'a.csv', 'https://example.com/a.csv'],
  [{}, '/a//b.csv?c=d#e', 'https://example.com/a//b.csv?c=d%23e'],
  [{ port: 80 }, 'a#b.csv', 'http://example.com/a%23b.csv'],
  [{ port: 8443 }, 'a.csv', 'https://example.com:8443/a.csv'],
  [{ host: '::1' }, 'a.csv', 'https://[::1]/a.csv'],
])('shows absolute paths: %j %s', (more, path, shown) => {
  const { absolutePath } = connected(httpGetConnector, { host: 'example.com', ...more }, http);
  expect(absolutePath(path)).toBe(shown);
});

it('takes a path of the longest length', () => {
  expect(storage().absolutePath(LONGEST_PATH)).toContain('bbb');
});

it('fills in defaults, and masks the values of headers', () => {
  expect(checked(httpGetConnector, { host: 'a.example' })).toEqual({
    host: 'a.example',
    port: 443,
    headers: [],
  });
  const json = parseJson('{"host":"a.example","headers":[{"key":"X","value":"secret-1234"}]}');
  const settings = httpGetConnector.checkSettings(json, 'Source');
  expect(writeJson(maskSettings(httpGetConnector, settings))).toContain('"value":"••••1234"');
});

it.each<[object, string[]]>([
  [{}, ['/host']],
  [{ host: '' }, ['/host']],
  [{ host: 'x'.repeat(254) }, ['/host']],
  [{ host: 'a.example:80' }, ['/host']],
  [{ host: 'u@a.example' }, ['/host']],
  [{ host: 'a.example/x' }, ['/host']],
  [{ host: '10.0.0.1' }, []],
  [{ host: 'a', port: 0 }, ['/port']],
  [{ host: 'a', port: 65_535 }, []],
  [{ host: 'a', port: 65_536 }, ['/port']],
  [{ host: 'a', headers: [{ key: 'Host', value: 'b' }] }, ['/headers/0/key']],
  [
    {
      host: 'a',
      headers: [
        { key: 'a', value: 'b' },
        { key: 'A', value: 'c' },
      ],
    },
    ['/headers/1/key'],
  ],
  [{ host: 'a', headers: [{ key: 'a', value: 'b\n' }] }, ['/headers/0/value']],
  [{ host: 'a', path: '/x' }, ['/path']],
])('checks the settings %j', (settings, paths) => {
  expect(badPaths(httpGetConnector, settings)).toEqual(paths);
});
