import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import type { EgressRules } from './egress-rules';

/** All addresses of a host name, best first. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/** The operator did not allow any address of the host. */
export class EgressRefused extends Error {
  override readonly name = 'EgressRefused';
  constructor() {
    super('address is not allowed by the egress rules');
  }
}

/**
 * Opens connections to allowed addresses only. The addresses that were judged are the ones that the socket is
 * given, so a name that resolves differently a moment later gains nothing.
 *
 * @param timeoutMs for name resolution, TCP and TLS together.
 */
export const guardedConnect = (
  rules: EgressRules,
  resolve: Resolve,
  timeoutMs: number,
): buildConnector.connector => {
  const connect = buildConnector({
    timeout: timeoutMs,
    lookup: guardedLookup(rules, oncePerName(resolve)),
    rejectUnauthorized: true,
  });
  return (options, callback) => {
    if (isIP(options.hostname) === 0 || rules.allows(options.hostname)) connect(options, callback);
    else callback(new EgressRefused(), null);
  };
};

const guardedLookup =
  (rules: EgressRules, resolve: Resolve): LookupFunction =>
  (hostname, { all }, callback) => {
    const answer = (addresses: readonly LookupAddress[]): void => {
      const allowed = addresses.filter(({ address }) => rules.allows(address));
      const [first] = allowed;
      if (first === undefined) callback(new EgressRefused(), '');
      else if (all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    };
    resolve(hostname).then(answer, (error: unknown) => {
      callback(error instanceof Error ? error : new Error('not resolved'), '');
    });
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
