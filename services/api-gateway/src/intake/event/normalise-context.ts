import { byPolicy } from './addresses';
import { slotAt } from './context-slots';
import { type Leaf, leafOf, textOf } from './leaf';
import { newReceivedContext, type ReceivedContext } from './received-context';
import type { RequestFacts } from './sender';
import { agentOf } from './user-agent';
import { browserNamed, type NamedLeaves, osNamed, OTHER } from './vocabulary';
import { writeContext } from './write-context';

const IP = slotAt('/context/ip');
const USER_AGENT = slotAt('/context/userAgent');

const CITY = slotAt('/context/location/city');
const COUNTRY = slotAt('/context/location/country');
const LATITUDE = slotAt('/context/location/latitude');
const LONGITUDE = slotAt('/context/location/longitude');
const LOCATION = [CITY, COUNTRY, LATITUDE, LONGITUDE, slotAt('/context/location/speed')];

interface NameSlots {
  readonly name: number;
  readonly other: number;
  readonly version: number;
}

const BROWSER: NameSlots = {
  name: slotAt('/context/browser/name'),
  other: slotAt('/context/browser/other'),
  version: slotAt('/context/browser/version'),
};
const OS: NameSlots = {
  name: slotAt('/context/os/name'),
  other: slotAt('/context/os/other'),
  version: slotAt('/context/os/version'),
};

type Leaves = (Leaf | undefined)[];

/** Writes the context of an event. @returns its JSON text, `''` when it is empty. */
export const normaliseContext = (
  own: ReceivedContext | undefined,
  batch: ReceivedContext | undefined,
  request: RequestFacts,
): string => {
  if (own === undefined && batch === undefined && !fillsIn(request)) return '';
  const leaves = merged(own, batch);
  settleAddress(leaves, isWithheld(own, batch), request);
  settleLocation(leaves, request);
  leaves[USER_AGENT] ??= request.userAgent;
  settleAgent(leaves);
  return writeContext(leaves);
};

const fillsIn = ({ peerAddress, userAgent }: RequestFacts): boolean =>
  peerAddress !== undefined || userAgent !== undefined;

/** Merges the event's context over the batch's, in place: the event's own context is not used any more. */
const merged = (own: ReceivedContext | undefined, batch: ReceivedContext | undefined): Leaves => {
  const leaves = (own ?? newReceivedContext()).leaves;
  if (batch === undefined) return leaves;
  for (let index = 0; index < leaves.length; index += 1) leaves[index] ??= batch.leaves[index];
  return leaves;
};

const isWithheld = (
  own: ReceivedContext | undefined,
  batch: ReceivedContext | undefined,
): boolean => own?.withholdsAddress === true || batch?.withholdsAddress === true;

const settleAddress = (leaves: Leaves, withholds: boolean, request: RequestFacts): void => {
  const given = leaves[IP];
  const { addressPolicy } = request.origin;
  if (withholds) leaves[IP] = undefined;
  else if (given === undefined) leaves[IP] = request.peerAddress;
  else if (addressPolicy !== 'keep') {
    const kept = byPolicy(textOf(given), addressPolicy);
    leaves[IP] = kept === undefined ? undefined : leafOf(kept);
  }
};

/** Fills in the location of the recorded address when the event has no member of `location`. */
const settleLocation = (leaves: Leaves, { locate }: RequestFacts): void => {
  const address = leaves[IP];
  if (locate === undefined || address === undefined) return;
  if (LOCATION.some((slot) => leaves[slot] !== undefined)) return;
  const { city, country, latitude, longitude } = locate(address);
  leaves[CITY] = city;
  leaves[COUNTRY] = country;
  leaves[LATITUDE] = latitude;
  leaves[LONGITUDE] = longitude;
};

const settleAgent = (leaves: Leaves): void => {
  const userAgent = leaves[USER_AGENT];
  const agent =
    userAgent === undefined || (leaves[BROWSER.name] !== undefined && leaves[OS.name] !== undefined)
      ? undefined
      : agentOf(userAgent);
  settleName(leaves, BROWSER, browserNamed, agent?.browser, agent?.browserVersion);
  settleName(leaves, OS, osNamed, agent?.os, agent?.osVersion);
};

/**
 * Sets a name of the vocabulary: from the sent name, else from the user agent. `other` is kept only with the name
 * `Other`.
 */
const settleName = (
  leaves: Leaves,
  slots: NameSlots,
  named: (given: string) => NamedLeaves,
  derived: NamedLeaves | undefined,
  derivedVersion: Leaf | undefined,
): void => {
  const given = leaves[slots.name];
  const settled = given === undefined ? derived : named(textOf(given));
  if (given === undefined) leaves[slots.version] ??= derivedVersion;
  leaves[slots.name] = settled?.name;
  leaves[slots.other] =
    settled?.name === OTHER ? (settled.other ?? leaves[slots.other]) : undefined;
};
