import { ConfigurationReplica } from '@penstock/contracts';
import { CurrentReplica } from './current-replica';
import { KeyLookUp } from './key-look-up';

const setUp = (isInTime = true) => {
  const owners = new Map<string, string>();
  const arriving = new Map<string, string>();
  const reads: (() => void)[] = [];
  const catchUp = () =>
    new Promise<boolean>((resolve) => {
      reads.push(() => {
        for (const [hash, owner] of arriving) owners.set(hash, owner);
        resolve(isInTime);
      });
    });
  const current = new CurrentReplica(new ConfigurationReplica(), { end: 0, catchUp });
  const keys = new KeyLookUp<string>(
    { current, keyedHash: (key) => `#${key}` },
    (hash) => owners.get(hash),
    (text) => text.startsWith('k'),
  );
  return { owners, arriving, reads, keys };
};

it('finds a key in the replica without reading', () => {
  const { owners, reads, keys } = setUp();
  owners.set('#k1', 'Ada');
  expect(keys.find('k1')).toBe('Ada');
  expect(reads).toHaveLength(0);
});

it('finds a key that was just created', async () => {
  const { arriving, reads, keys } = setUp();
  arriving.set('#k1', 'Ada');
  const found = keys.findNew('k1');
  reads[0]?.();
  expect(await found).toBe('Ada');
});

it('reads once for an unknown key', async () => {
  const { reads, keys } = setUp();
  const found = keys.findNew('k1');
  reads[0]?.();
  expect(await found).toBeUndefined();
  expect(await keys.findNew('k1')).toBeUndefined();
  expect(reads).toHaveLength(1);
});

it('neither refuses nor caches a key that it could not look up in time', async () => {
  const { reads, keys } = setUp(false);
  const found = keys.findNew('k1');
  reads[0]?.();
  await expect(found).rejects.toMatchObject({ code: 'ServiceUnavailable', status: 503 });
  void keys.findNew('k1').catch(() => undefined);
  expect(reads).toHaveLength(2);
});

it('does not read for a text that is not a key', async () => {
  const { reads, keys } = setUp();
  expect(keys.find('x')).toBeUndefined();
  expect(await keys.findNew('x')).toBeUndefined();
  expect(reads).toHaveLength(0);
});

it('shares one read, and begins another for callers after its start', async () => {
  const { arriving, reads, keys } = setUp();
  const first = keys.findNew('k1');
  const [second, third] = [keys.findNew('k2'), keys.findNew('k3')];
  expect(reads).toHaveLength(1);
  reads[0]?.();
  await first;
  await new Promise(setImmediate);
  expect(reads).toHaveLength(2);
  arriving.set('#k2', 'Bob');
  reads[1]?.();
  expect(await Promise.all([second, third])).toEqual(['Bob', undefined]);
});
