import { isJsonObject, type Json } from '@penstock/schema';
import type { Form, Setting } from './form';
import { members } from './members';
import { word } from './text';

/**
 * An object whose member `type` determines its other members.
 *
 * @param variants the other members, by the word in `type`.
 */
export const tagged = (variants: Readonly<Record<string, readonly Setting[]>>): Form => {
  const tag: Setting = {
    name: 'type',
    form: word(...Object.keys(variants)),
    description: 'The kind, which determines the other members.',
    required: true,
  };
  const forms = new Map(
    Object.entries(variants).map(([kind, settings]) => [kind, members(tag, ...settings)]),
  );
  const tagOnly = members(tag);
  const formOf = (json: Json): Form => {
    const kind = isJsonObject(json) ? json.get('type') : undefined;
    return (typeof kind === 'string' ? forms.get(kind) : undefined) ?? tagOnly;
  };
  return {
    type: members(tag, ...Object.values(variants).flat().map(optional)).type,
    secret: false,
    check: (json, path, issues) => formOf(json).check(json, path, issues),
    mapSecrets: (json, change) => formOf(json).mapSecrets(json, change),
  };
};

/** Members of one kind are absent on the others. */
const optional = (setting: Setting): Setting => ({ ...setting, required: false });
