import { randomInt } from 'node:crypto';
import { Partitioners } from 'kafkajs';
import { partitionOf } from './partition-of';

const place = Partitioners.DefaultPartitioner();
const asKafkaPlacesIt = (key: string, partitions: number): number =>
  place({
    topic: 'topic',
    partitionMetadata: Array.from({ length: partitions }, (_, partitionId) => ({
      partitionId,
      partitionErrorCode: 0,
      leader: 0,
      replicas: [],
      isr: [],
    })),
    message: { key, value: null },
  });

const ALPHABET = [...Array.from('abcXYZ019-_/ .'), '\u0001', '\u007f', 'ü', '漢', '😀'];
const randomKey = (): string =>
  Array.from({ length: randomInt(40) }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');

/** From `UtilsTest.testMurmur2` of Kafka: the hash's lowest 31 bits, modulo 1,000,003. */
const VECTORS: readonly (readonly [key: string, hash: number])[] = [
  ['21', -973932308],
  ['foobar', -790332482],
  ['a-little-bit-long-string', -985981536],
  ['a-little-bit-longer-string', -1486304829],
  ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
  ['abc', 479470107],
];

it.each(VECTORS)('places %j as the Java client does', (key, hash) => {
  expect(partitionOf(key, 1_000_003)).toBe((hash & 0x7fffffff) % 1_000_003);
});

it('places keys of every length and script as kafkajs does', () => {
  for (let round = 0; round < 2_000; round += 1) {
    const key = randomKey();
    const partitions = 1 + randomInt(100);
    expect([key, partitionOf(key, partitions)]).toEqual([key, asKafkaPlacesIt(key, partitions)]);
  }
});

it('places every key in the only partition', () => {
  expect(['', 'a', 'ü'].map((key) => partitionOf(key, 1))).toEqual([0, 0, 0]);
});
