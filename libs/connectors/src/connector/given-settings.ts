import {
  Invalid,
  isJsonArray,
  isJsonObject,
  type Issue,
  type Json,
  pointer,
} from '@penstock/schema';
import { secretsIn } from '@penstock/settings';
import type { ConnectionRole } from '@penstock/contracts';
import type { CheckedSettings, Settings } from './connector';
import { maskSettings } from './mask-settings';

const MASKED = /^••••.{0,4}$/su;

/**
 * Checks settings as a client gives them: whoever read them before may send its masked secrets back, which then stand
 * for the ones that are there.
 *
 * @param present settings that the connection has; absent for a new one.
 * @returns the settings with defaults and secrets filled in.
 * @throws Invalid naming every bad member by its JSON pointer within the settings, also a masked secret that stands
 *   for nothing.
 */
export const givenSettings = (
  connector: CheckedSettings,
  given: Json,
  role: ConnectionRole,
  present?: Settings,
): Settings => {
  const whole =
    present === undefined ? given : unmasked(given, maskSettings(connector, present), present);
  const settings = connector.checkSettings(whole, role);
  const left = new Set(secretsIn(connector.settings, settings).filter((each) => MASKED.test(each)));
  const issues = [
    ...(left.size === 0 ? [] : maskedIn(settings, left, '')),
    ...(whole === given ? [] : shownIn(given, whole, maskSettings(connector, settings), '')),
  ];
  if (issues.length > 0) throw new Invalid(issues);
  return settings;
};

/** The given JSON with the present text wherever it holds the masked one at the same place. */
const unmasked = (given: Json, masked: Json | undefined, present: Json | undefined): Json => {
  if (typeof given === 'string')
    return given === masked && typeof present === 'string' ? present : given;
  if (isJsonObject(given) && isJsonObject(masked) && isJsonObject(present))
    return new Map(
      Array.from(given, ([name, each]) => [
        name,
        unmasked(each, masked.get(name), present.get(name)),
      ]),
    );
  if (isJsonArray(given) && isJsonArray(masked) && isJsonArray(present))
    return given.map((each, index) => {
      const place = placeOf(each, index, masked);
      return unmasked(each, masked[place], present[place]);
    });
  return given;
};

/** An element with a name is the one of the same name, wherever it has moved to. */
const placeOf = (element: Json, index: number, elements: readonly Json[]): number => {
  const name = nameOf(element);
  return name === undefined ? index : elements.findIndex((each) => nameOf(each) === name);
};

const nameOf = (json: Json): Json | undefined =>
  isJsonObject(json) ? json.get('name') : undefined;

/** Secrets that were kept by their masks at places where they would be no secrets any more. */
function* shownIn(
  given: Json,
  whole: Json | undefined,
  shown: Json | undefined,
  path: string,
): Generator<Issue> {
  if (typeof given === 'string' && given !== whole && shown === whole)
    yield { path, message: 'is masked, and would be shown: send the value itself' };
  if (isJsonArray(given) && isJsonArray(whole) && isJsonArray(shown))
    for (const [index, each] of given.entries())
      yield* shownIn(each, whole[index], shown[index], path + pointer(index));
  if (isJsonObject(given) && isJsonObject(whole) && isJsonObject(shown))
    for (const [name, each] of given)
      yield* shownIn(each, whole.get(name), shown.get(name), path + pointer(name));
}

function* maskedIn(json: Json, masked: ReadonlySet<string>, path: string): Generator<Issue> {
  if (typeof json === 'string' && masked.has(json))
    yield { path, message: 'is masked: send the secret itself' };
  if (isJsonArray(json))
    for (const [index, each] of json.entries())
      yield* maskedIn(each, masked, path + pointer(index));
  if (isJsonObject(json))
    for (const [name, each] of json) yield* maskedIn(each, masked, path + pointer(name));
}
