import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Kafka, logLevel, Partitioners } from 'kafkajs';
import { installKafka } from './install-kafka';
import { archiveOf } from './java';
import { type Cluster, startBroker } from './start-cluster';

jest.setTimeout(400_000);

const run = promisify(execFile);

let cluster: Cluster | undefined;
afterEach(async () => {
  await cluster?.stop();
  cluster = undefined;
});

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Command lines that contain a folder: those of its broker and watchdog. */
const processesOf = async (folder: string): Promise<string[]> =>
  (await run('ps', ['-eo', 'args'])).stdout.split('\n').filter((line) => line.includes(folder));

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.once('error', () => resolve(false)).once('close', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  const deadline = Date.now() + 20_000;
  while (!(await isSo()) && Date.now() < deadline) await sleep(100);
  expect(await isSo()).toBe(true);
};

const client = ({ brokers }: Cluster): Kafka =>
  new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });

const send = async (kafka: Kafka, value: string): Promise<void> => {
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  await producer.send({ topic: 'greetings', messages: [{ value }] });
  await producer.disconnect();
};

const receive = async (kafka: Kafka, count: number): Promise<string[]> => {
  const consumer = kafka.consumer({ groupId: `reader-${Math.random()}` });
  const values: string[] = [];
  await consumer.connect();
  await consumer.subscribe({ topic: 'greetings', fromBeginning: true });
  await new Promise<void>((resolve, reject) => {
    const eachMessage = ({ message }: { message: { value: Buffer | null } }): Promise<void> => {
      if (values.push(String(message.value)) === count) resolve();
      return Promise.resolve();
    };
    consumer.run({ eachMessage }).catch(reject);
  });
  await consumer.disconnect();
  return values;
};

const createTopic = async (kafka: Kafka): Promise<void> => {
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic: 'greetings', numPartitions: 1 }] });
  await admin.disconnect();
};

it('keeps a message across SIGKILL, and leaves no process and no file', async () => {
  cluster = await startBroker();
  const kafka = client(cluster);
  const [node] = cluster.nodes;
  await createTopic(kafka);
  await send(kafka, 'hello');
  const first = node?.pid ?? 0;
  await node?.kill9();
  await node?.restart();
  await send(kafka, 'again');
  expect(await receive(kafka, 2)).toEqual(['hello', 'again']);

  const second = node?.pid ?? 0;
  expect(second).not.toBe(first);
  expect(isAlive(second)).toBe(true);
  const folder = node?.folder ?? '';
  expect(await processesOf(folder)).toHaveLength(2);
  await cluster.stop();
  expect([first, second].filter(isAlive)).toEqual([]);
  await until(async () => (await processesOf(folder)).length === 0);
  expect(existsSync(folder)).toBe(false);
});

/** Files that a process has mapped into its memory; undefined where the system does not show them. */
const mappedBy = (pid: number): Promise<string | undefined> =>
  readFile(`/proc/${pid}/maps`, 'utf8').catch(() => undefined);

it('keeps the data in a given folder, and takes its classes from the archive', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'penstock-kept-'));
  cluster = await startBroker({ folder });
  await createTopic(client(cluster));
  await send(client(cluster), 'kept');
  const mapped = await mappedBy(cluster.nodes[0]?.pid ?? 0);
  const archive = await realpath(archiveOf(await installKafka()));
  expect(mapped ?? archive).toContain(archive);
  await cluster.stop();
  cluster = await startBroker({ folder });
  expect(await receive(client(cluster), 1)).toEqual(['kept']);
  await cluster.stop();
  await rm(folder, { recursive: true });
});

const isLong = process.env['PENSTOCK_TEST_LONG'] === '1';

type End = [how: string, end: (parent: number) => void];
const killed: End = ['is killed by -9', (parent) => process.kill(parent, 'SIGKILL')];
const hungUp: End = ['loses its terminal', (parent) => process.kill(-parent, 'SIGHUP')];

it.each(isLong ? [killed, hungUp] : [killed])(
  'ends with a parent that %s, and removes its temporary data',
  async (_, end) => {
    await run('npm', ['run', 'build'], { cwd: join(__dirname, '..') });
    const temporary = await mkdtemp(join(tmpdir(), 'penstock-parent-'));
    const parent = spawn(process.execPath, [join(__dirname, '..', 'dist', 'main.js')], {
      detached: true,
      env: { ...process.env, TMPDIR: temporary },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [printed] = (await once(parent.stdout, 'data')) as [Buffer];
    const port = Number(/^KAFKA_BROKERS=127\.0\.0\.1:(\d+)\n$/.exec(String(printed))?.[1]);
    expect(await accepts(port)).toBe(true);
    expect(await readdir(temporary)).toHaveLength(1);

    end(parent.pid ?? 0);
    await until(async () => (await readdir(temporary)).length === 0);
    expect(await accepts(port)).toBe(false);
    await rm(temporary, { recursive: true });
  },
);
