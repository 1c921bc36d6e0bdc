import type { LookupAddress } from 'node:dns';
import { egressRules } from './egress-rules';
import { EgressRefused, guardedLookup, type Resolve } from './guarded-lookup';

const PUBLIC: LookupAddress = { address: '93.184.216.34', family: 4 };
const OTHER: LookupAddress = { address: '2606:2800:220:1::1', family: 6 };
const LOOPBACK: LookupAddress = { address: '127.0.0.1', family: 4 };

/** The result of a look-up for one address or for all of them. */
const lookUp = (resolve: Resolve, all: boolean, allow: readonly string[] = []): Promise<unknown> =>
  new Promise((resolved, failed) => {
    guardedLookup(egressRules(allow), resolve)('a.example', { all }, (error, found, family) => {
      if (error === null) resolved(all ? found : { address: found, family });
      else failed(error);
    });
  });

const resolving =
  (...addresses: LookupAddress[]): Resolve =>
  () =>
    Promise.resolve(addresses);

it('gives the addresses that are allowed', async () => {
  const resolve = resolving(LOOPBACK, PUBLIC, OTHER);
  expect(await lookUp(resolve, true)).toEqual([PUBLIC, OTHER]);
  expect(await lookUp(resolve, false)).toEqual(PUBLIC);
  expect(await lookUp(resolve, false, ['127.0.0.0/8'])).toEqual(LOOPBACK);
});

it.each([[[]], [[LOOPBACK]]])('refuses %j', async (addresses) => {
  await expect(lookUp(resolving(...addresses), true)).rejects.toThrow(EgressRefused);
});

it('reports that a name cannot be resolved', async () => {
  const failure = new Error('ENOTFOUND');
  await expect(lookUp(() => Promise.reject(failure), true)).rejects.toBe(failure);
});

it('resolves a name once for all that wait for it', async () => {
  let answer: (addresses: LookupAddress[]) => void = () => undefined;
  const resolve = jest.fn(() => new Promise<LookupAddress[]>((resolved) => (answer = resolved)));
  const lookup = guardedLookup(egressRules([]), resolve);
  const found = [1, 2].map(
    () =>
      new Promise((resolved) => {
        lookup('a.example', { all: true }, (_, addresses) => {
          resolved(addresses);
        });
      }),
  );
  answer([PUBLIC]);
  expect(await Promise.all(found)).toEqual([[PUBLIC], [PUBLIC]]);
  expect(resolve).toHaveBeenCalledTimes(1);
});
