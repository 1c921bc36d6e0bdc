import type { LookupAddress } from 'node:dns';
import { egressRules } from './egress-rules';
import { EgressRefused, guardedLookup, type Resolve } from './guarded-lookup';

const PUBLIC: LookupAddress = { address: '93.184.216.34', family: 4 };
const OTHER: LookupAddress = { address: '2606:2800:220:1::1', family: 6 };
const LOOPBACK: LookupAddress = { address: '127.0.0.1', family: 4 };

/** What a socket is told, asking for one address or for all of them. */
const asked = (resolve: Resolve, all: boolean, allow: readonly string[] = []): Promise<unknown> =>
  new Promise((told, failed) => {
    guardedLookup(egressRules(allow), resolve)('a.example', { all }, (error, found, family) => {
      if (error === null) told(all ? found : { address: found, family });
      else failed(error);
    });
  });

const resolving =
  (...addresses: LookupAddress[]): Resolve =>
  () =>
    Promise.resolve(addresses);

it('gives the addresses that are allowed', async () => {
  const resolve = resolving(LOOPBACK, PUBLIC, OTHER);
  expect(await asked(resolve, true)).toEqual([PUBLIC, OTHER]);
  expect(await asked(resolve, false)).toEqual(PUBLIC);
  expect(await asked(resolve, false, ['127.0.0.0/8'])).toEqual(LOOPBACK);
});

it.each([[[]], [[LOOPBACK]]])('refuses %j', async (addresses) => {
  await expect(asked(resolving(...addresses), true)).rejects.toThrow(EgressRefused);
});

it('tells that a name cannot be resolved', async () => {
  const failure = new Error('ENOTFOUND');
  await expect(asked(() => Promise.reject(failure), true)).rejects.toBe(failure);
});

it('resolves a name once for all that wait for it', async () => {
  let answer: (addresses: LookupAddress[]) => void = () => undefined;
  const resolve = jest.fn(() => new Promise<LookupAddress[]>((resolved) => (answer = resolved)));
  const lookup = guardedLookup(egressRules([]), resolve);
  const found = [1, 2].map(
    () =>
      new Promise((told) => {
        lookup('a.example', { all: true }, (_, addresses) => {
          told(addresses);
        });
      }),
  );
  answer([PUBLIC]);
  expect(await Promise.all(found)).toEqual([[PUBLIC], [PUBLIC]]);
  expect(resolve).toHaveBeenCalledTimes(1);
});
