import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { awaitBrokers } from './await-brokers';
import { BrokerNode } from './broker-node';
import { brokerProperties, type Place } from './broker-properties';
import { makeArchive } from './class-archive';
import { freePorts } from './free-ports';
import { installKafka } from './install-kafka';
import { runJava } from './java';

export interface ClusterOptions {
  /** The folder for the data, which is reused. Absent: a temporary folder, removed at the end. */
  readonly folder?: string;
  /** Heap of each JVM; default: 512 for one node, 320 for more. */
  readonly heapMb?: number;
  /**
   * Whether hot code is compiled by the optimizing compiler, which costs some 13 s of CPU in the first minute of a
   * broker: for those that work for longer. Default false.
   */
  readonly isLasting?: boolean;
  /** Additional or overriding broker properties. */
  readonly properties?: Readonly<Record<string, string>>;
}

/** Brokers that run as children of this process and end with it, also after SIGKILL. */
export interface Cluster {
  /** `127.0.0.1:<port>` of each node. */
  readonly brokers: readonly string[];
  readonly nodes: readonly BrokerNode[];
  /** Ends all processes; removes the data unless a folder was given. */
  stop(): Promise<void>;
}

/** Starts one broker: see {@link startCluster}. */
export const startBroker = (options: ClusterOptions = {}): Promise<Cluster> =>
  startCluster(1, options);

/**
 * Starts real Kafka brokers on free ports of the loopback address, without containers. Resolves when every
 * node serves and lists the others: after about 5 s on an idle machine, and the download the first time.
 *
 * @throws Error with the end of a broker's log when one does not start; no process is left running then.
 */
export const startCluster = async (
  size: number,
  options: ClusterOptions = {},
): Promise<Cluster> => {
  const libs = await installKafka();
  await makeArchive(libs, (archiveTo) => launchCluster(libs, 1, { archiveTo }));
  return launchCluster(libs, size, options);
};

const launchCluster = async (
  libs: string,
  size: number,
  {
    folder: given,
    heapMb = size === 1 ? 512 : 320,
    isLasting = false,
    properties,
    archiveTo,
  }: ClusterOptions & { readonly archiveTo?: string },
): Promise<Cluster> => {
  const places = await choosePlaces(size);
  const root = given ?? (await mkdtemp(join(tmpdir(), 'penstock-kafka-')));
  const scratch = given === undefined ? root : '';
  const nodes = places.map(({ id, port }) => {
    const ready = (isRunning: () => boolean) => awaitBrokers(addressOf(port), size, isRunning);
    const folder = folderOf(root, id);
    const java = {
      libs,
      heapMb,
      isLasting,
      scratch,
      ...(archiveTo !== undefined && { archiveTo }),
    };
    return new BrokerNode({ ...java, port, folder, ready });
  });
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => (scratch ? node.kill9() : node.stop())));
    if (scratch) await rm(scratch, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    await prepare(root, places, libs, properties);
    nodes.forEach((node) => node.launch());
    await Promise.all(nodes.map((node) => node.ready()));
  } catch (error) {
    await stop();
    throw error;
  }
  return { brokers: nodes.map(({ port }) => addressOf(port)), nodes, stop };
};

const prepare = async (
  root: string,
  places: readonly Place[],
  libs: string,
  properties: Readonly<Record<string, string>> | undefined,
): Promise<void> => {
  const clusterId = randomBytes(16).toString('base64url');
  await Promise.all(
    places.map(async (place) => {
      const folder = folderOf(root, place.id);
      const file = join(folder, 'server.properties');
      await mkdir(folder, { recursive: true });
      await writeFile(file, brokerProperties(place, places, folder, properties));
      if (!existsSync(join(folder, 'data'))) await format(libs, clusterId, file);
    }),
  );
};

const format = (libs: string, clusterId: string, file: string): Promise<void> =>
  runJava(
    libs,
    'kafka.tools.StorageTool',
    'format',
    `--cluster-id=${clusterId}`,
    `--config=${file}`,
  );

const choosePlaces = async (size: number): Promise<Place[]> => {
  const ports = await freePorts(2 * size);
  return Array.from({ length: size }, (_, index) => ({
    id: index + 1,
    port: ports[2 * index] ?? 0,
    controllerPort: ports[2 * index + 1] ?? 0,
  }));
};

const folderOf = (root: string, id: number): string => join(root, `node-${id}`);

const addressOf = (port: number): string => `127.0.0.1:${port}`;
