import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Resolve } from '@penstock/egress';
import {
  NoAnswer,
  NotWritten,
  type GuardedHttp,
  type OutgoingRequest,
} from '../connector/guarded-http';
import { answer, HttpStub } from '../http-stub.fixture';
import { SELF_SIGNED } from '@penstock/test-servers';
import { createGuardedHttp, type GuardedHttpOptions } from './undici-guarded-http';

let stub: HttpStub;
const opened: GuardedHttp[] = [];

beforeEach(async () => {
  stub = await HttpStub.start();
});

afterEach(async () => {
  await stub.close();
  await Promise.all(opened.splice(0).map((http) => http.close()));
});

const open = (options: Partial<GuardedHttpOptions> = {}): GuardedHttp => {
  const http = createGuardedHttp({ allow: ['127.0.0.0/8'], ...options });
  opened.push(http);
  return http;
};

const aRequest = (url: string, changes: Partial<OutgoingRequest> = {}): OutgoingRequest => ({
  method: 'POST',
  url,
  headers: { 'Content-Type': 'application/json' },
  body: '{}',
  timeoutMs: 5_000,
  ...changes,
});

const post = (http: GuardedHttp, url = stub.origin, changes: Partial<OutgoingRequest> = {}) =>
  http.request(aRequest(url, changes), new AbortController().signal);

const toLoopback: Resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);

describe('a request', () => {
  it('arrives as it was given, and its answer too', async () => {
    stub.next(answer(201, '{"ok":"ä"}', { 'X-Answer': 'yes' }));
    const response = await post(open(), `${stub.origin}/a/b?c=d#e`, {
      method: 'PATCH',
      headers: { 'X-Own': '1' },
      body: '{"text":"ü"}',
    });
    expect(response).toMatchObject({ status: 201, body: '{"ok":"ä"}' });
    expect(response.headers['x-answer']).toBe('yes');
    expect(stub.requests).toEqual([
      expect.objectContaining({ method: 'PATCH', url: '/a/b?c=d', body: '{"text":"ü"}' }),
    ]);
    expect(stub.requests[0]?.headers).toMatchObject({
      'x-own': '1',
      'user-agent': expect.stringMatching(/^penstock\/\d+\.\d+\.\d+$/) as string,
    });
  });

  it('uses a connection again', async () => {
    const http = open({ maxConnectionsPerOrigin: 1 });
    for (let n = 0; n < 5; n += 1) await post(http);
    expect(stub.connections).toBe(1);
  });

  it('shares a bounded number of connections', async () => {
    const http = open({ maxConnectionsPerOrigin: 3 });
    const responses = await Promise.all(Array.from({ length: 30 }, () => post(http)));
    expect(responses.map(({ status }) => status)).toEqual(Array(30).fill(200));
    expect(stub.connections).toBeLessThanOrEqual(3);
  });

  it('may share its signal with many others', async () => {
    const warnings: Error[] = [];
    const keep = (warning: Error) => warnings.push(warning);
    process.on('warning', keep);
    const http = open();
    const { signal } = new AbortController();
    await Promise.all(
      Array.from({ length: 30 }, () => http.request(aRequest(stub.origin), signal)),
    );
    await new Promise(setImmediate);
    process.off('warning', keep);
    expect(warnings).toEqual([]);
  });
});

describe('an answer', () => {
  const MAX = 1_048_576;

  it.each([
    [MAX - 1, MAX - 1],
    [MAX, MAX],
    [MAX + 1, MAX],
    [3 * MAX, MAX],
  ])('of %d bytes is read up to %d', async (sent, read) => {
    stub.next(answer(200, 'x'.repeat(sent)));
    expect((await post(open())).body).toHaveLength(read);
  });

  it('that is too long costs its connection', async () => {
    const http = open({ maxAnswerBytes: 10, maxConnectionsPerOrigin: 1 });
    stub.next(answer(200, 'x'.repeat(11)));
    await post(http);
    await post(http);
    expect(stub.connections).toBe(2);
  });
});

describe('the guard', () => {
  it.each([
    ['loopback', 'http://127.0.0.1'],
    ['loopback in short', 'http://127.1'],
    ['loopback as a number', 'http://2130706433'],
    ['loopback in hex', 'http://0x7f.0.0.1'],
    ['a name of loopback', 'http://localhost'],
    ['unspecified', 'http://0.0.0.0'],
    ['loopback of IPv6', 'http://[::1]'],
    ['mapped loopback', 'http://[::ffff:127.0.0.1]'],
    ['metadata', 'http://169.254.169.254'],
    ['metadata', 'http://[fd00:ec2::254]'],
    ['private', 'https://10.0.0.1'],
  ])('refuses %s, %s', async (_, origin) => {
    await expect(post(open({ allow: [] }), `${origin}:${String(stub.port)}/`)).rejects.toThrow(
      new NoAnswer('address is not allowed by the egress rules'),
    );
    expect(stub.connections).toBe(0);
  });

  it('refuses a name by the addresses that it has', async () => {
    const url = `http://public.example:${String(stub.port)}/`;
    await expect(post(open({ allow: [], resolve: toLoopback }), url)).rejects.toThrow(NoAnswer);
    expect(stub.connections).toBe(0);
    await post(open({ resolve: toLoopback }), url);
    expect(stub.connections).toBe(1);
  });

  it('connects to the allowed ones of several addresses', async () => {
    const both: Resolve = () =>
      Promise.resolve([
        { address: '10.0.0.1', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ]);
    await post(open({ resolve: both }), `http://both.example:${String(stub.port)}/`);
    expect(stub.connections).toBe(1);
  });

  it('judges the very address that it connects to, each time anew', async () => {
    const other = await HttpStub.start('127.0.0.2', stub.port);
    try {
      let lookups = 0;
      const rebinding: Resolve = () => {
        lookups += 1;
        return Promise.resolve([{ address: lookups === 1 ? '127.0.0.2' : '127.0.0.1', family: 4 }]);
      };
      const http = open({ allow: ['127.0.0.2/32'], resolve: rebinding });
      const url = `http://rebinding.example:${String(stub.port)}/`;
      other.next(answer(200, '', { Connection: 'close' }));
      expect(await post(http, url)).toMatchObject({ status: 200 });
      expect(lookups).toBe(1);
      await expect(post(http, url)).rejects.toThrow(
        new NoAnswer('address is not allowed by the egress rules'),
      );
      expect(lookups).toBe(2);
      expect(other.connections).toBe(1);
      expect(stub.connections).toBe(0);
    } finally {
      await other.close();
    }
  });

  it('looks a name up once for all that wait for it', async () => {
    let lookups = 0;
    const counting: Resolve = async () => {
      lookups += 1;
      await new Promise(setImmediate);
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const http = open({ resolve: counting });
    const url = `http://counted.example:${String(stub.port)}/`;
    await Promise.all([post(http, url), post(http, url), post(http, url)]);
    expect(lookups).toBe(1);
  });

  it.each([
    ['ftp://example.com/', 'URL is not an http or https URL'],
    ['file:///etc/passwd', 'URL is not an http or https URL'],
    ['nowhere', 'URL is not an http or https URL'],
    ['http://user:secret@example.com/', 'URL names a user'],
  ])('refuses %s', async (url, reason) => {
    await expect(post(open(), url)).rejects.toThrow(new NoAnswer(reason));
  });

  it('does not trust a self-signed certificate', async () => {
    const requests: string[] = [];
    const server = createTlsServer(SELF_SIGNED, ({ url = '' }, response) => {
      requests.push(url);
      response.end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      await expect(post(open(), `https://localhost:${String(port)}/`)).rejects.toThrow(
        /^TLS connection is not trusted/,
      );
      expect(requests).toEqual([]);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});

describe('redirects', () => {
  const redirect = (location: string, status = 307) => answer(status, '', { Location: location });

  it('are followed with method and body, at most three', async () => {
    stub.next(redirect('/1'), redirect('/2', 308), redirect('/3'));
    expect(await post(open(), `${stub.origin}/0`)).toMatchObject({ status: 200 });
    expect(stub.requests.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['POST', '/0', '{}'],
      ['POST', '/1', '{}'],
      ['POST', '/2', '{}'],
      ['POST', '/3', '{}'],
    ]);
  });

  it('beyond three are answers', async () => {
    stub.always(redirect('/again'));
    expect(await post(open())).toMatchObject({ status: 307 });
    expect(stub.requests).toHaveLength(4);
  });

  it('that change the method are answers', async () => {
    stub.next(redirect('/other', 302));
    expect(await post(open())).toMatchObject({ status: 302 });
    expect(stub.requests).toHaveLength(1);
  });

  it('do not carry credentials to another origin', async () => {
    const other = await HttpStub.start();
    try {
      stub.next(redirect(`${other.origin}/moved`));
      await post(open(), stub.origin, { headers: { Authorization: 'x', 'X-Key': 'y' } });
      expect(stub.requests[0]?.headers).toMatchObject({ authorization: 'x', 'x-key': 'y' });
      expect(other.requests[0]?.headers).not.toHaveProperty('authorization');
      expect(other.requests[0]?.headers).not.toHaveProperty('x-key');
    } finally {
      await other.close();
    }
  });

  it('meet the guard again', async () => {
    const http = open({ allow: ['127.0.0.1/32'] });
    stub.next(redirect(`http://127.0.0.2:${String(stub.port)}/`));
    await expect(post(http)).rejects.toThrow(
      new NoAnswer('address is not allowed by the egress rules'),
    );
  });
});

describe('a request that may not be written', () => {
  const refusing = (...answers: boolean[]) => {
    const calls: boolean[] = [];
    const mayWrite = (): boolean => {
      const may = answers[calls.length] ?? false;
      calls.push(may);
      return may;
    };
    return { calls, mayWrite };
  };

  it('does not reach the server, and is reported as not sent', async () => {
    const { calls, mayWrite } = refusing(false);
    await expect(post(open(), stub.origin, { mayWrite })).rejects.toThrow(NotWritten);
    expect([calls, stub.requests]).toEqual([[false], []]);
  });

  it('is checked when its connection is free, not when it is queued', async () => {
    const http = open({ maxConnectionsPerOrigin: 1 });
    let mayWrite = true;
    const release: (() => void)[] = [];
    stub.next((response) => release.push(() => response.end()));
    const first = post(http, `${stub.origin}/first`, { mayWrite: () => mayWrite });
    while (release.length === 0) await new Promise(setImmediate);
    const second = post(http, `${stub.origin}/second`, { mayWrite: () => mayWrite });
    const refused = expect(second).rejects.toThrow(NotWritten);
    mayWrite = false;
    release.forEach((end) => {
      end();
    });
    await first;
    await refused;
    await post(http, `${stub.origin}/third`);
    expect(stub.requests.map(({ url }) => url)).toEqual(['/first', '/third']);
  });

  it('behind a redirect is not one of which nothing was written', async () => {
    const { calls, mayWrite } = refusing(true, false);
    stub.next(answer(307, '', { Location: '/moved' }));
    const failure: unknown = await post(open(), stub.origin, { mayWrite }).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(NoAnswer);
    expect(failure).not.toBeInstanceOf(NotWritten);
    expect([calls, stub.requests.length]).toEqual([[true, false], 1]);
  });

  it('times out like any other before the check', async () => {
    const { calls, mayWrite } = refusing(true);
    const http = open({ connectTimeoutMs: 200, resolve: () => new Promise(() => undefined) });
    await expect(
      post(http, 'http://slow.example/', { mayWrite, timeoutMs: 50 }),
    ).rejects.not.toBeInstanceOf(NotWritten);
    expect(calls).toEqual([]);
  });
});

describe('no answer', () => {
  it('within the time of the whole request', async () => {
    stub.always(() => undefined);
    await expect(post(open(), stub.origin, { timeoutMs: 100 })).rejects.toThrow(
      new NoAnswer('no answer within 0.1 s'),
    );
  });

  it('that ends in time', async () => {
    stub.always((response) => response.writeHead(200).write('never ends'));
    await expect(post(open(), stub.origin, { timeoutMs: 100 })).rejects.toThrow(NoAnswer);
  });

  it('within the time, redirects included', async () => {
    stub.always((response) => {
      setTimeout(() => response.writeHead(307, { Location: '/' }).end(), 60);
    });
    await expect(post(open(), stub.origin, { timeoutMs: 100 })).rejects.toThrow(NoAnswer);
  });

  it('when the connection takes too long', async () => {
    const http = open({ connectTimeoutMs: 50, resolve: () => new Promise(() => undefined) });
    await expect(post(http, 'http://slow.example/')).rejects.toThrow(
      new NoAnswer('connection timed out'),
    );
  });

  it('after the caller gave up, before or while it waits', async () => {
    await expect(open().request(aRequest(stub.origin), AbortSignal.abort())).rejects.toThrow(
      new NoAnswer('request was given up'),
    );
    const controller = new AbortController();
    stub.always(() => controller.abort());
    await expect(open().request(aRequest(stub.origin), controller.signal)).rejects.toThrow(
      new NoAnswer('request was given up'),
    );
    expect(stub.requests).toHaveLength(1);
  });

  it('of a request that was given up while it waited for a connection, which is never sent', async () => {
    const http = open({ maxConnectionsPerOrigin: 1 });
    const release: (() => void)[] = [];
    stub.next((response) => release.push(() => response.end()));
    const first = post(http);
    while (release.length === 0) await new Promise(setImmediate);
    await expect(post(http, stub.origin, { timeoutMs: 50 })).rejects.toThrow(NoAnswer);
    release.forEach((end) => {
      end();
    });
    await first;
    await post(http, `${stub.origin}/last`);
    expect(stub.requests.map(({ url }) => url)).toEqual(['/', '/last']);
  });

  it('where nothing listens', async () => {
    const closed = await HttpStub.start();
    const { origin } = closed;
    await closed.close();
    await expect(post(open(), origin)).rejects.toThrow(new NoAnswer('connection was refused'));
  });

  it('of a name that does not exist', async () => {
    const missing: Resolve = () =>
      Promise.reject(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }));
    await expect(post(open({ resolve: missing }), 'http://missing.example/')).rejects.toThrow(
      new NoAnswer('host name cannot be resolved'),
    );
  });

  it('reveals nothing of the request', async () => {
    stub.always((response) => response.socket?.destroy());
    const error: unknown = await post(open(), `${stub.origin}/?key=secret-query`, {
      headers: { Authorization: 'secret-header' },
      body: 'secret-body',
    }).catch((reason: unknown) => reason);
    expect(error).toEqual(new NoAnswer('connection was closed before the answer'));
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('secret-');
  });

  it('to a request that is not HTTP', async () => {
    await expect(post(open(), stub.origin, { headers: { 'X-Bad': 'a\nb' } })).rejects.toThrow(
      new NoAnswer('request is not valid HTTP'),
    );
  });

  it('after closing', async () => {
    const http = createGuardedHttp({ allow: [] });
    await http.close();
    await expect(post(http)).rejects.toThrow(new NoAnswer('client is closed'));
  });
});
