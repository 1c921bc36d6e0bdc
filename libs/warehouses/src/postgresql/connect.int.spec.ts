import { JsonNumber } from '@penstock/schema';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createWarehouses } from '../warehouses';
import { PASSWORD, Stage } from './stage.fixture';

jest.setTimeout(60_000);

let stage: Stage;
let user: string;

beforeAll(async () => {
  stage = await Stage.open();
  user = await stage.role();
});

afterAll(() => stage.close());

const platformOf = (allow: readonly string[], trustedUrls: readonly string[] = []) => {
  const platform = createWarehouses({ allow, trustedUrls }).get('PostgreSQL');
  if (platform === undefined) throw new Error('no platform');
  return platform;
};
const open = platformOf(['127.0.0.0/8']);

const tries = async (
  changes: Parameters<Stage['settings']>[1] = {},
  platform = open,
  timeoutMs = 20_000,
): Promise<void> => {
  const settings = stage.settings(user, changes);
  const warehouse = await platform.connect(settings, AbortSignal.timeout(timeoutMs));
  await warehouse.close();
};

it.each(['disable', 'prefer'])('connects by %s to a server without encryption', async (sslMode) => {
  await expect(tries({ sslMode })).resolves.toBeUndefined();
});

it.each(['require', 'verify-full'])('does not connect by %s to it', async (sslMode) => {
  await expect(tries({ sslMode })).rejects.toMatchObject({
    kind: 'unusable',
    message: 'server does not take encrypted connections',
  });
});

it('takes no host for a file', async () => {
  await expect(tries({ host: '/tmp' })).rejects.toMatchObject({
    kind: 'unreachable',
    message: 'host name cannot be resolved',
  });
});

it.each([
  ['a password', () => ({ password: 'wrong' }), /^password authentication failed for user/],
  ['an empty password', () => ({ password: '' }), /password/],
  ['a database', () => ({ database: 'nowhere' }), /^database "nowhere" does not exist/],
])('reports the reason of the server about %s', async (_, changes, message) => {
  await expect(tries(changes())).rejects.toMatchObject({
    kind: 'unusable',
    message: expect.stringMatching(message) as string,
  });
});

it('takes no password of its own surroundings', async () => {
  process.env['PGPASSWORD'] = PASSWORD;
  try {
    await expect(tries({ password: '' })).rejects.toMatchObject({ kind: 'unusable' });
  } finally {
    delete process.env['PGPASSWORD'];
  }
});

it('hides the password, though it is part of a name', async () => {
  const wrong = user.slice(0, 8);
  const error: unknown = await tries({ password: wrong }).catch((reason: unknown) => reason);
  expect(String(error)).toContain('••••');
  expect(String(error)).not.toContain(wrong);
});

describe('the rules of egress', () => {
  const refused = {
    kind: 'unusable',
    message: 'address is not allowed by the egress rules',
  };

  it.each(['127.0.0.1', 'localhost', '2130706433', '::ffff:127.0.0.1', '169.254.169.254'])(
    'keep %s out',
    async (host) => {
      await expect(tries({ host }, platformOf([]))).rejects.toMatchObject(refused);
    },
  );

  it('let through what the operator allows by its range', async () => {
    await expect(tries({}, platformOf(['127.0.0.1/32']))).resolves.toBeUndefined();
  });

  it('let through the server that the operator has named, and no other of its ports', async () => {
    const port = stage.settings(user).get('port') as JsonNumber;
    const named = platformOf([], [`postgres://u@127.0.0.1:${port.text}/d`]);
    await expect(tries({}, named)).resolves.toBeUndefined();
    await expect(tries({ host: 'localhost' }, named)).rejects.toMatchObject(refused);
    await expect(tries({ port: new JsonNumber('1') }, named)).rejects.toMatchObject(refused);
  });
});

describe('a server that is none', () => {
  const sockets = new Set<Socket>();
  let server: Server;
  let behave: (socket: Socket) => void;

  beforeEach(async () => {
    server = createServer((socket) => {
      sockets.add(socket.on('error', () => undefined));
      behave(socket);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });

  const at = () => ({ port: new JsonNumber(String((server.address() as AddressInfo).port)) });

  it.each(['disable', 'prefer', 'verify-full'])(
    'and sends nothing is given up in time (%s)',
    async (sslMode) => {
      behave = () => undefined;
      await expect(tries({ ...at(), sslMode }, open, 300)).rejects.toMatchObject({
        kind: 'unreachable',
        message: 'there was no answer in time',
      });
    },
  );

  it('and sends garbage is reported', async () => {
    behave = (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    await expect(tries({ ...at(), sslMode: 'disable' })).rejects.toMatchObject({
      kind: 'unreachable',
    });
  });

  it('and closes the connection is reported', async () => {
    behave = (socket) => socket.destroy();
    await expect(tries(at())).rejects.toMatchObject({ kind: 'unreachable' });
  });

  it('and is not even there', async () => {
    const settings = at();
    server.close();
    await once(server, 'close');
    await expect(tries(settings)).rejects.toMatchObject({
      kind: 'unreachable',
      message: 'connection was refused',
    });
    server.listen(0);
    await once(server, 'listening');
  });
});

it('gives up a statement that takes too long', async () => {
  const settings = stage.settings(user);
  const abort = new AbortController();
  const warehouse = await open.connect(settings, abort.signal);
  abort.abort();
  await expect(warehouse.owner()).rejects.toMatchObject({
    kind: 'unreachable',
    message: 'there was no answer in time',
  });
  await warehouse.close();
});
