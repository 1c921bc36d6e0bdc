import type { IncomingMessage } from 'node:http';
import { byPolicy } from './event/addresses';
import { instantLeaf } from './event/instants';
import { type Leaf, leafOf } from './event/leaf';
import type { RequestFacts } from './event/sender';
import type { Locations } from './location/locations';
import type { PeerAddress } from './peer-address';
import type { Source } from './source';

/** Look-ups that concern addresses. */
export interface AddressLookups {
  readonly peerAddress: PeerAddress;
  /** Absent when no database is configured. */
  readonly locations: Locations | undefined;
}

/** Determines what a request that arrives now contributes to each of its events. */
export const requestFacts = (
  { origin, isClientSide }: Source,
  request: IncomingMessage,
  { peerAddress, locations }: AddressLookups,
): RequestFacts => {
  const receivedMs = Date.now();
  return {
    origin,
    receivedMs,
    receivedAt: receivedLeaf(receivedMs),
    peerAddress: isClientSide ? addressLeaf(peerAddress(request), origin.addressPolicy) : undefined,
    userAgent: isClientSide ? userAgentLeaf(request.headers['user-agent']) : undefined,
    locate: locations && ((address) => locations.of(address)),
  };
};

let lastMs = 0;
let lastLeaf = instantLeaf(0);

/** Caches the text of the last millisecond: thousands of requests may arrive within a second. */
const receivedLeaf = (ms: number): Leaf => {
  if (ms !== lastMs) {
    lastLeaf = instantLeaf(ms);
    lastMs = ms;
  }
  return lastLeaf;
};

const addressLeaf = (
  address: string | undefined,
  policy: RequestFacts['origin']['addressPolicy'],
): Leaf | undefined => {
  const kept = address === undefined ? undefined : byPolicy(address, policy);
  return kept === undefined ? undefined : leafOf(kept);
};

const userAgentLeaf = (userAgent: string | undefined): Leaf | undefined =>
  userAgent === undefined || userAgent === '' ? undefined : leafOf(userAgent.normalize('NFC'));
