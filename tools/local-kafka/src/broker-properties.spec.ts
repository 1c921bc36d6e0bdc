import { brokerProperties, type Place } from './broker-properties';

const place = (id: number): Place => ({ id, port: 20_000 + id, controllerPort: 21_000 + id });
const [one, two, three] = [place(1), place(2), place(3)];

const lines = (text: string): string[] => text.trimEnd().split('\n');

it('listens on the loopback address only, for clients and for controllers', () => {
  expect(lines(brokerProperties(one, [one], '/d'))).toEqual(
    expect.arrayContaining([
      'listeners=PLAINTEXT://127.0.0.1:20001,CONTROLLER://127.0.0.1:21001',
      'advertised.listeners=PLAINTEXT://127.0.0.1:20001',
      'log.dirs=/d/data',
    ]),
  );
});

it('lists every node as a voter', () => {
  expect(lines(brokerProperties(two, [one, two, three], '/d'))).toEqual(
    expect.arrayContaining([
      'node.id=2',
      'controller.quorum.voters=1@127.0.0.1:21001,2@127.0.0.1:21002,3@127.0.0.1:21003',
    ]),
  );
});

it.each([
  { nodes: 1, replicas: 1, minInSync: 1 },
  { nodes: 2, replicas: 2, minInSync: 1 },
  { nodes: 3, replicas: 3, minInSync: 2 },
  { nodes: 4, replicas: 3, minInSync: 2 },
])('$nodes nodes keep $replicas replicas, $minInSync in sync', ({ nodes, replicas, minInSync }) => {
  const cluster = Array.from({ length: nodes }, (_, index) => place(index + 1));
  expect(lines(brokerProperties(one, cluster, '/d'))).toEqual(
    expect.arrayContaining([
      `default.replication.factor=${replicas}`,
      `offsets.topic.replication.factor=${replicas}`,
      `min.insync.replicas=${minInSync}`,
    ]),
  );
});

it('lets the caller replace a property', () => {
  const text = brokerProperties(one, [one], '/d', { 'auto.create.topics.enable': 'true' });
  expect(lines(text).filter((line) => line.startsWith('auto.create'))).toEqual([
    'auto.create.topics.enable=true',
  ]);
});
