import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGuardedSockets } from '@penstock/egress';
import { type LocalSftp, startSftp } from '@penstock/local-storages';
import { createGuardedHttp } from '../../egress/undici-guarded-http';
import { type Break, cut, patterned, storageConformance } from '../storage.conformance';
import { connected, contentOf, faultOf } from '../storage.fixture';
import { unfinishedPrefix } from '../temporary-name';
import { sftpConnector } from './sftp-connector';

jest.setTimeout(120_000);

const http = createGuardedHttp({ allow: [] });
const folder = mkdtempSync(join(tmpdir(), 'penstock-sftp-'));
const temp = join(folder, 'temp');
let count = 0;

/** The usual server, one whose disk is small, and one that renames to no existing name. */
let server: LocalSftp;
let full: LocalSftp;
let plain: LocalSftp;

beforeAll(async () => {
  mkdirSync(temp);
  server = await startSftp();
  full = await startSftp({ maxFileBlocks: 1_000 });
  plain = await startSftp({ without: ['posix-rename', 'fsync'] });
});
afterAll(async () => {
  await Promise.all([server, full, plain].map((each) => each.stop()));
  await http.close();
  rmSync(folder, { recursive: true });
});

const settingsOf = ({ port, username, password }: LocalSftp) => ({
  host: 'localhost',
  port,
  username,
  password,
});
const at = (to = server, more: object = {}, signal?: AbortSignal) =>
  connected(sftpConnector, { ...settingsOf(to), ...more }, http, signal);
const path = (name: string): string => join(folder, name);
const contentAt = (name: string): Buffer | undefined =>
  existsSync(name) ? readFileSync(name) : undefined;
const unfinished = (): string[] =>
  [folder, temp]
    .flatMap((each) => readdirSync(each))
    .filter((name) => name.startsWith('.penstock'));

const LARGE = 900_000;

describe.each<[string, () => LocalSftp, object]>([
  ['beside the file', () => server, {}],
  ['in tempPath', () => server, { tempPath: temp }],
  ['without renaming at once', () => plain, { tempPath: `${temp}/` }],
])('%s', (_, of, more) => {
  let target = server;
  const breaks: Record<string, Break> = {
    'the connection is cut': {
      begin: () => {
        target.cutAfter(400_000);
      },
      end: () => {
        target.cutAfter(undefined);
      },
      isCleanedUp: true,
    },
    'no space': {
      begin: () => {
        target = full;
      },
      end: () => {
        target = of();
      },
      isCleanedUp: true,
    },
  };

  beforeEach(() => {
    target = of();
  });

  storageConformance(() => ({
    storage: (signal) => at(target, more, signal),
    stored: (name) => Promise.resolve(contentAt(name)),
    unfinished: () => Promise.resolve(unfinished()),
    tidy: () => Promise.resolve(),
    path: () => path(`ü ${String((count += 1))}.csv`),
    large: LARGE,
    breaks,
  }));
});

it.each([
  ['beside the file', folder, {}],
  ['in tempPath', temp, { tempPath: temp }],
])(
  'removes what a killed process has left of the same file an hour ago %s, and nothing else',
  async (_, where, more) => {
    const place = (of: string, name: string, ageMinutes: number): string => {
      const left = join(where, `${unfinishedPrefix(path(of))}${name}.part`);
      writeFileSync(left, 'part');
      const time = new Date(Date.now() - ageMinutes * 60_000);
      utimesSync(left, time, time);
      return left;
    };
    const old = ['1', '2'].map((name) => place('a.csv', name, 61));
    const others = [place('a.csv', '3', 59), place('b.csv', '4', 61)];
    await at(server, more).write(path('a.csv'), cut(patterned(10, 1), 10));
    expect([...old, ...others].map((each) => existsSync(each))).toEqual([false, false, true, true]);
    for (const each of others) rmSync(each);
  },
);

it('writes into a folder that the server does not show', async () => {
  const silent = await startSftp({ without: ['opendir'] });
  try {
    await at(silent).write(path('hidden.csv'), cut(patterned(10, 1), 10));
  } finally {
    await silent.stop();
  }
  expect(contentAt(path('hidden.csv'))).toEqual(patterned(10, 1));
});

const expectNoConnection = async (): Promise<void> => {
  for (let tries = 0; tries < 100 && server.connections > 0; tries += 1) await setTimeout(50);
  expect(server.connections).toBe(0);
};

const bytes = () => cut(Buffer.from('new'), 2);

it('gives size and time', async () => {
  writeFileSync(path('stat.csv'), 'content');
  const file = await at().open(path('stat.csv'));
  const seconds = Math.floor(statSync(path('stat.csv')).mtimeMs / 1_000);
  expect(file).toMatchObject({ size: 7, modifiedAt: new Date(seconds * 1_000), tag: undefined });
  await file.close();
  await file.close();
});

it('leaves no connection behind, whoever stops reading', async () => {
  writeFileSync(path('left.csv'), patterned(LARGE, 1));
  const file = await at().open(path('left.csv'));
  for await (const _ of file.bytes) break;
  const unread = await at().open(path('left.csv'));
  await unread.close();
  await faultOf(() => at().open(path('nowhere.csv')));
  await at().write(path('left.csv'), bytes());
  await expectNoConnection();
});

it('reports a connection that is cut while it is read', async () => {
  writeFileSync(path('cut.csv'), patterned(3 * LARGE, 1));
  const file = await at().open(path('cut.csv'));
  const reading = file.bytes[Symbol.asyncIterator]();
  await reading.next();
  server.cutAfter(0);
  const rest = async (): Promise<void> => {
    while ((await reading.next()).done !== true);
  };
  expect(await faultOf(rest)).toEqual(['Unavailable', 'connection was closed by the server']);
  server.cutAfter(undefined);
});

it('knows its users by password or key', async () => {
  await at().write(path('who.csv'), bytes());
  const { privateKey } = server;
  const byKey = at(server, { password: undefined, privateKey });
  expect(await contentOf(await byKey.open(path('who.csv')))).toBe('new');
  const refused = [
    at(server, { password: 'wrong' }),
    at(server, { username: 'wrong' }),
    at(server, { password: undefined, privateKey: full.privateKey }),
  ];
  for (const each of refused)
    expect(await faultOf(() => each.open(path('who.csv')))).toEqual([
      'Refused',
      'the server refuses the user name, or its password or key',
    ]);
});

it('checks the key of the server where the settings have one', async () => {
  const { hostPublicKey } = server;
  await at(server, { hostPublicKey }).write(path('key.csv'), bytes());
  const other = at(server, { hostPublicKey: full.hostPublicKey });
  for (const work of [
    () => other.open(path('key.csv')),
    () => other.write(path('key.csv'), bytes()),
  ])
    expect(await faultOf(work)).toEqual([
      'Refused',
      'the server has another key than hostPublicKey',
    ]);
});

it('connects to nothing that the operator did not allow', async () => {
  await expectNoConnection();
  const sockets = createGuardedSockets([]);
  for (const host of ['localhost', '127.0.0.1']) {
    const guarded = connected(
      sftpConnector,
      { ...settingsOf(server), host },
      http,
      undefined,
      sockets,
    );
    expect(await faultOf(() => guarded.write(path('a.csv'), bytes()))).toEqual([
      'Refused',
      'address is not allowed by the egress rules',
    ]);
  }
  expect(server.connections).toBe(0);
});

it.each([
  ['that ends', (socket: Socket) => socket.end()],
  [
    'that speaks another language',
    (socket: Socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
  ],
])('reports a server %s', async (_, answer) => {
  const other = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const address = other.address();
  const port = typeof address === 'string' ? 0 : (address?.port ?? 0);
  const [kind, message] = await faultOf(() => at({ ...server, port }).open('a.csv'));
  expect([kind, message]).toEqual(['Unavailable', expect.stringMatching(/SSH|closed/)]);
  other.close();
});

it('ends with its caller while a server is silent', async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  const address = silent.address();
  const port = typeof address === 'string' ? 0 : (address?.port ?? 0);
  const signal = AbortSignal.timeout(300);
  const storage = at({ ...server, port }, {}, signal);
  expect(await faultOf(() => storage.open('a.csv'))).toEqual([
    'Unavailable',
    'request was given up',
  ]);
  for (const socket of sockets) socket.destroy();
  silent.close();
});

it.each([
  ['nowhere.csv', 'there is no such file'],
  ['temp', 'is a folder'],
])('refuses to read %s: %s', async (name, message) => {
  expect(await faultOf(() => at().open(path(name)))).toEqual(['InvalidPath', message]);
});

it.each([
  ['temp', {}, 'is a folder'],
  ['nowhere/a.csv', {}, 'there is no such folder'],
  ['a.csv', { tempPath: '/nowhere' }, 'there is no such folder: tempPath'],
])('refuses to write %s with %j: %s', async (name, more, message) => {
  const writing = () => at(server, more).write(path(name), bytes());
  expect(await faultOf(writing)).toEqual(['InvalidPath', message]);
  expect(unfinished()).toEqual([]);
});

it.each([
  [{}, 'a b.csv', 'sftp://sftp.example/a%20b.csv'],
  [{ port: 2_222 }, '/a/b.csv', 'sftp://sftp.example:2222/a/b.csv'],
  [{ host: '::1' }, 'a.csv', 'sftp://[::1]/a.csv'],
])('shows absolute paths: %j %s', (more, name, shown) => {
  const settings = { host: 'sftp.example', username: 'u', password: 'p', ...more };
  expect(connected(sftpConnector, settings, http).absolutePath(name)).toBe(shown);
});
