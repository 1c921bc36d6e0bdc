import { type Replication, replicationFault, replicationFor } from './replication';

it.each<[Replication, brokers: number, factor: number, minInSync: number]>([
  [{}, 1, 1, 1],
  [{}, 2, 2, 1],
  [{}, 3, 3, 2],
  [{}, 5, 3, 2],
  [{ factor: 1 }, 3, 1, 1],
  [{ factor: 5 }, 5, 5, 2],
  [{ minInSync: 3 }, 3, 3, 3],
  [{ factor: 2, minInSync: 2 }, 4, 2, 2],
])('%j with %i brokers: %i replicas, %i in sync', (wanted, brokers, factor, minInSync) => {
  expect(replicationFault(wanted, brokers)).toBeUndefined();
  expect(replicationFor(wanted, brokers)).toEqual({ factor, minInSync });
});

it.each<[Replication, brokers: number, fault: RegExp]>([
  [{ factor: 2 }, 1, /^KAFKA_REPLICATION_FACTOR is 2, and Kafka has 1 broker:/],
  [{ factor: 6 }, 5, /^KAFKA_REPLICATION_FACTOR is 6, and Kafka has 5 brokers:/],
  [{ minInSync: 2 }, 1, /^KAFKA_MIN_INSYNC_REPLICAS is 2, and Kafka has 1 broker: .* 1 replica /],
  [{ minInSync: 4 }, 5, /^KAFKA_MIN_INSYNC_REPLICAS is 4, and Kafka has 5 brokers: .* 3 replicas /],
])('%j with %i broker(s) is a fault', (wanted, brokers, fault) => {
  expect(replicationFault(wanted, brokers)).toMatch(fault);
});
