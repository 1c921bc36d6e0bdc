import { type CheckedSettings, givenSettings } from '@penstock/connectors';
import { type ConnectionRole, Refusal, type Sealed, type WorkspaceId } from '@penstock/contracts';
import type { Seals } from '@penstock/runtime';
import { Invalid, isJsonObject, type JsonObject, parseJson, writeJson } from '@penstock/schema';

/** Opens sealed settings. @throws SealBroken, KeyErased */
export const openedSettings = (
  seals: Seals,
  settings: Sealed,
  workspace: WorkspaceId,
): JsonObject => {
  const json = parseJson(seals.open(settings, workspace));
  if (!isJsonObject(json)) throw new TypeError('sealed settings are no object');
  return json;
};

/** Settings that a client sent, and where they belong. */
export interface GivenSealed {
  readonly settings: Sealed;
  readonly role: ConnectionRole;
  readonly workspace: WorkspaceId;
  /** The settings that there are, whose secrets replace masked ones; absent for something new. */
  readonly present?: Sealed | undefined;
  /** The member of the request that holds them, by which refusals name places. */
  readonly member: string;
}

/**
 * Checks sealed settings that a client sent.
 *
 * @returns the settings with defaults and secrets filled in, sealed; the sealed text of `present` when nothing changes.
 * @throws Refusal InvalidSettings, naming every bad member.
 */
export const checkedSealed = (
  seals: Seals,
  rules: CheckedSettings,
  { settings, role, workspace, present, member }: GivenSealed,
): Sealed => {
  const before = present === undefined ? undefined : openedSettings(seals, present, workspace);
  try {
    const given = openedSettings(seals, settings, workspace);
    const text = writeJson(givenSettings(rules, given, role, before));
    if (present !== undefined && before !== undefined && text === writeJson(before)) return present;
    return seals.seal(text, workspace);
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    const details = error.issues.map(({ path, message }) => ({
      path: `/${member}${path}`,
      message,
    }));
    throw new Refusal('InvalidSettings', { details });
  }
};
