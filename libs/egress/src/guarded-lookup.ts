import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { types } from 'node:util';
import type { EgressRules } from './egress-rules';

/** All addresses of a host name, best first. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/** The system's own resolution, `/etc/hosts` included. */
export const systemResolve: Resolve = (hostname) => lookup(hostname, { all: true });

/** The operator did not allow any address of the host. */
export class EgressRefused extends Error {
  override readonly name = 'EgressRefused';
  constructor() {
    super('address is not allowed by the egress rules');
  }
}

/**
 * Name resolution for sockets that gives allowed addresses only. The addresses that were judged are the ones that the
 * socket is given, so a name that resolves differently a moment later gains nothing. A socket does not look up a host
 * that is an address already: that one is for the caller to judge.
 *
 * The look-up fails with {@link EgressRefused} when no address is allowed.
 */
export const guardedLookup = (rules: EgressRules, resolve: Resolve): LookupFunction => {
  const resolveOnce = oncePerName(resolve);
  return (hostname, { all }, callback) => {
    const answer = (addresses: readonly LookupAddress[]): void => {
      const allowed = addresses.filter(({ address }) => rules.allows(address));
      const [first] = allowed;
      if (first === undefined) callback(new EgressRefused(), '');
      else if (all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    };
    resolveOnce(hostname).then(answer, (error: unknown) => {
      callback(types.isNativeError(error) ? error : new Error('not resolved'), '');
    });
  };
};

/** Name resolution runs on few threads: a name that hangs must not take more than one of them. */
const oncePerName = (resolve: Resolve): Resolve => {
  const running = new Map<string, Promise<readonly LookupAddress[]>>();
  return (hostname) => {
    const known = running.get(hostname);
    if (known !== undefined) return known;
    const started = resolve(hostname).finally(() => running.delete(hostname));
    running.set(hostname, started);
    return started;
  };
};
