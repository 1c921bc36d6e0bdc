import { isIP } from 'node:net';
import { EgressRefused, type EgressRules, guardedLookup, type Resolve } from '@penstock/egress';
import { buildConnector } from 'undici';

/**
 * Opens connections to allowed addresses only.
 *
 * @param timeoutMs for name resolution, TCP and TLS together.
 * @param authorities PEM of the authorities that are trusted; absent: Node's.
 */
export const guardedConnect = (
  rules: EgressRules,
  resolve: Resolve,
  timeoutMs: number,
  authorities?: string,
): buildConnector.connector => {
  const connect = buildConnector({
    timeout: timeoutMs,
    lookup: guardedLookup(rules, resolve),
    rejectUnauthorized: true,
    ...(authorities !== undefined && { ca: authorities }),
  });
  return (options, callback) => {
    if (isIP(options.hostname) === 0 || rules.allows(options.hostname)) connect(options, callback);
    else callback(new EgressRefused(), null);
  };
};
