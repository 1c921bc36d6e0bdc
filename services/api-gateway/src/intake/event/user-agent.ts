import Bowser from 'bowser';
import { BoundedCache } from '../../cache/bounded-cache';
import { type Leaf, leafOf, textOf } from './leaf';
import { browserNamed, type NamedLeaves, osNamed } from './vocabulary';

/** Parsing costs tens of microseconds, and a site's visitors share a few hundred user agents. */
const REMEMBERED = 2_000;
/** Real browsers send less; parsing a longer text would only cost time. */
const MAX_LENGTH = 1_024;
const UNKNOWN = 'Unknown';

export interface DerivedAgent {
  readonly browser: NamedLeaves;
  readonly browserVersion: Leaf | undefined;
  readonly os: NamedLeaves;
  readonly osVersion: Leaf | undefined;
}

const remembered = new BoundedCache<Leaf, DerivedAgent>(REMEMBERED);

/** Derives browser and operating system from a user agent, in the names of the event schema. */
export const agentOf = (userAgent: Leaf): DerivedAgent => {
  const known = remembered.get(userAgent);
  if (known !== undefined) return known;
  const agent = derive(textOf(userAgent).slice(0, MAX_LENGTH));
  if (userAgent.length <= MAX_LENGTH) remembered.set(userAgent, agent);
  return agent;
};

const derive = (text: string): DerivedAgent => {
  const { browser, os } = Bowser.parse(text);
  return {
    browser: browserNamed(nameOf(browser.name) ?? firstProduct(text)),
    browserVersion: versionLeaf(browser.version),
    os: osNamed(nameOf(os.name) ?? UNKNOWN),
    osVersion: versionLeaf(os.name === 'Windows' ? os.versionName : os.version),
  };
};

/** Returns the first product token: programs identify themselves as `name/version`. Source: RFC 9110, 10.1.5. */
const firstProduct = (text: string): string => /^[\w.+-]{1,100}/.exec(text)?.[0] ?? UNKNOWN;

const nameOf = (name: string | undefined): string | undefined => (name === '' ? undefined : name);

const versionLeaf = (version: string | undefined): Leaf | undefined =>
  version === undefined || version === '' ? undefined : leafOf(version);
