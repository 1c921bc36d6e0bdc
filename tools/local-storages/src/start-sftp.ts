import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type AuthContext, type Connection, Server, type ServerChannel, utils } from 'ssh2';
import { installSftpServer } from './install-sftp-server';

/** How the server is to be. */
export interface SftpOptions {
  /** Requests that it does not know, such as `posix-rename`. */
  readonly without?: readonly string[];
  /** Bytes that a file may have, in units of 512: more is refused as on a full disk. */
  readonly maxFileBlocks?: number;
}

/** An SFTP server on a free port of the loopback interface, with the files of the machine. */
export interface LocalSftp {
  readonly port: number;
  readonly username: string;
  readonly password: string;
  /** A key that is as good as the password. */
  readonly privateKey: string;
  /** As the setting `hostPublicKey` has it. */
  readonly hostPublicKey: string;
  /** Connections that are open. */
  readonly connections: number;
  /** From now on each connection is cut when so many bytes have come over it; undefined: none is. */
  cutAfter(bytes: number | undefined): void;
  /** From now on nothing is read of any connection, which stays open. */
  freeze(): void;
  stop(): Promise<void>;
}

const USERNAME = 'exporter';
const PASSWORD = 'correct horse battery staple';

const isKnown = (context: AuthContext, publicKey: string): boolean => {
  if (context.username !== USERNAME) return false;
  if (context.method === 'password') return context.password === PASSWORD;
  if (context.method !== 'publickey') return false;
  const key = utils.parseKey(publicKey);
  if (key instanceof Error || !key.getPublicSSH().equals(context.key.data)) return false;
  if (context.signature === undefined || context.blob === undefined) return true;
  // It may give an error as well, which its declaration does not say.
  const answer: unknown = key.verify(context.blob, context.signature, context.hashAlgo);
  return answer === true;
};

/** The processes and connections of a server. */
class Running {
  readonly sockets = new Set<Socket>();
  readonly processes = new Set<ChildProcess>();
  limit: number | undefined;

  constructor(
    private readonly program: string,
    private readonly options: SftpOptions,
  ) {}

  serve(client: Connection, publicKey: string): void {
    client.on('error', () => undefined);
    client.on('authentication', (context) => {
      if (isKnown(context, publicKey)) context.accept();
      else context.reject(['password', 'publickey']);
    });
    client.on('session', (accept) => {
      accept().on('subsystem', (acceptStream, reject, { name }) => {
        if (name === 'sftp') this.bridge(acceptStream());
        else reject();
      });
    });
  }

  private bridge(channel: ServerChannel): void {
    const { without = [], maxFileBlocks } = this.options;
    const denied = without.length === 0 ? '' : ` -P ${without.join()}`;
    const limit =
      maxFileBlocks === undefined ? '' : `trap '' XFSZ; ulimit -f ${String(maxFileBlocks)}; `;
    const child = spawn('sh', ['-c', `${limit}exec "$0"${denied}`, this.program], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.processes.add(child);
    child.on('exit', () => {
      this.processes.delete(child);
      channel.end();
    });
    child.stdin.on('error', () => undefined);
    channel.on('error', () => undefined).pipe(child.stdin);
    child.stdout.pipe(channel);
  }
}

/** Of the keys that the library makes, one in some hundred is one that it cannot read. */
const newKey = (): ReturnType<typeof utils.generateKeyPairSync> => {
  for (;;) {
    const key = utils.generateKeyPairSync('ed25519');
    if (!(utils.parseKey(key.private) instanceof Error)) return key;
  }
};

/**
 * Starts a server: SSH in this process, and behind it OpenSSH's `sftp-server` for each session.
 *
 * @throws Error when there is no `sftp-server` and none can be had.
 */
export const startSftp = async (options: SftpOptions = {}): Promise<LocalSftp> => {
  const running = new Running(await installSftpServer(), options);
  const [host, user] = [newKey(), newKey()];
  const server = new Server({ hostKeys: [host.private] }, (client) => {
    running.serve(client, user.public);
  });
  const tcp = createServer({ noDelay: true }, (socket) => {
    running.sockets.add(socket);
    let received = 0;
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (running.limit !== undefined && received > running.limit) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => running.sockets.delete(socket));
    server.injectSocket(socket);
  });
  tcp.listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  return {
    port: (tcp.address() as AddressInfo).port,
    username: USERNAME,
    password: PASSWORD,
    privateKey: user.private,
    hostPublicKey: host.public,
    get connections() {
      return running.sockets.size;
    },
    cutAfter: (bytes) => (running.limit = bytes),
    freeze: () => {
      for (const socket of running.sockets) socket.pause();
    },
    stop: async () => {
      for (const socket of running.sockets) socket.destroy();
      for (const child of running.processes) child.kill('SIGKILL');
      const closed = once(tcp, 'close');
      tcp.close();
      await closed;
    },
  };
};
