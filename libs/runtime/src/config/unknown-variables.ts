import { nearestName } from '@penstock/schema';
import type { Source } from './read-config';

const PREFIX = 'PENSTOCK_';
const FILE = '_FILE';

/**
 * Kubernetes sets variables for every service of a namespace: for one that is called `penstock…`, they have our prefix.
 * Those that end in `_PORT` have a URL as their value.
 */
const isOfKubernetes = (name: string, value: string): boolean =>
  /_SERVICE_(HOST|PORT(_[A-Z\d_]+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(name) ||
  (name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value));

const faultOf = (name: string, known: readonly string[]): string => {
  const isFile = name.endsWith(FILE);
  const nearest = nearestName(isFile ? name.slice(0, -FILE.length) : name, known);
  const advice = nearest === undefined ? '' : `: did you mean ${nearest}${isFile ? FILE : ''}?`;
  return `${name} is not a variable of Penstock${advice}`;
};

/**
 * Finds variables that begin with `PENSTOCK_` and that no service knows: most likely a known one is misspelt. A
 * variable that is set to nothing counts as not set.
 *
 * @param known names of the variables of all services: all of them often have the same environment.
 */
export const unknownVariables = (source: Source, known: readonly string[]): readonly string[] => {
  const names = new Set(known.flatMap((name) => [name, `${name}${FILE}`]));
  return Object.entries(source)
    .filter(([name, value = '']) => name.startsWith(PREFIX) && value !== '' && !names.has(name))
    .filter(([name, value = '']) => !isOfKubernetes(name, value))
    .map(([name]) => faultOf(name, known));
};
