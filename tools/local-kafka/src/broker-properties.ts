/** One node of a cluster: a broker that is also a controller. */
export interface Place {
  readonly id: number;
  readonly port: number;
  readonly controllerPort: number;
}

/**
 * The `server.properties` of one node: KRaft, loopback only, small. Topics are not created automatically, group
 * members need not wait for each other, and with three nodes two of them have every acknowledged message.
 *
 * @param extra additional or overriding properties.
 */
export const brokerProperties = (
  { id, port, controllerPort }: Place,
  cluster: readonly Place[],
  folder: string,
  extra: Readonly<Record<string, string>> = {},
): string => {
  const replicas = String(Math.min(3, cluster.length));
  const minInSync = cluster.length < 3 ? '1' : '2';
  const properties: Record<string, string> = {
    'process.roles': 'broker,controller',
    'node.id': String(id),
    'controller.quorum.voters': cluster
      .map((node) => `${node.id}@127.0.0.1:${node.controllerPort}`)
      .join(','),
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
    'controller.listener.names': 'CONTROLLER',
    'log.dirs': `${folder}/data`,
    'auto.create.topics.enable': 'false',
    'default.replication.factor': replicas,
    'min.insync.replicas': minInSync,
    'offsets.topic.num.partitions': '8',
    'offsets.topic.replication.factor': replicas,
    'transaction.state.log.num.partitions': '8',
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.min.isr': minInSync,
    'share.coordinator.state.topic.num.partitions': '8',
    'share.coordinator.state.topic.replication.factor': replicas,
    'share.coordinator.state.topic.min.isr': minInSync,
    'group.initial.rebalance.delay.ms': '0',
    'log.cleaner.dedupe.buffer.size': '16777216',
    'log.cleaner.backoff.ms': '500',
    ...extra,
  };
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
};
