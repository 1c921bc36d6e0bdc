import type { Settings } from '../connector/connector';

/** Reads settings once: a destination sends thousands of requests with the same ones. */
export const perSettings = <Read>(
  read: (settings: Settings) => Read,
): ((settings: Settings) => Read) => {
  const known = new WeakMap<Settings, Read>();
  return (settings) => {
    const found = known.get(settings);
    if (found !== undefined) return found;
    const fresh = read(settings);
    known.set(settings, fresh);
    return fresh;
  };
};
