import {
  isJsonObject,
  type Issue,
  type Json,
  type JsonObject,
  pointer,
  writeJson,
} from '@penstock/schema';
import type { Form, Plain, Setting } from './form';

/** An object with these members and no others. */
export const members = (...settings: readonly Setting[]): Form => ({
  type: { kind: 'object', properties: settings.map(describeSetting) },
  secret: false,
  check: (json, path, issues) => {
    if (isJsonObject(json)) return checkMembers(settings, json, path, issues);
    issues.push({ path, message: 'must be an object' });
    return json;
  },
  mapSecrets: (json, change) => {
    if (!isJsonObject(json)) return json;
    const forms = new Map(settings.map(({ name, form }) => [name, form]));
    return new Map(
      Array.from(json, ([name, value]) => [
        name,
        forms.get(name)?.mapSecrets(value, change) ?? value,
      ]),
    );
  },
});

/** Describes a setting as a property of the notation of types, with the members that only settings have. */
const describeSetting = (setting: Setting): { readonly [name: string]: Plain } => ({
  name: setting.name,
  type: setting.form.type,
  required: setting.required ?? false,
  ...(setting.nullable === true ? { nullable: true } : {}),
  secret: setting.form.secret,
  ...(setting.default === undefined ? {} : { default: plain(setting.default) }),
  description: setting.description,
});

const plain = (json: Json): Plain => JSON.parse(writeJson(json)) as Plain;

const checkMembers = (
  settings: readonly Setting[],
  given: JsonObject,
  path: string,
  issues: Issue[],
): JsonObject => {
  const checked = new Map<string, Json>();
  for (const setting of settings) {
    const at = path + pointer(setting.name);
    const value = given.get(setting.name);
    if (value !== undefined) checked.set(setting.name, checkMember(setting, value, at, issues));
    else if (setting.default !== undefined) checked.set(setting.name, setting.default);
    else if (setting.required === true) issues.push({ path: at, message: 'is required' });
  }
  for (const name of given.keys())
    if (!settings.some((setting) => setting.name === name))
      issues.push({ path: path + pointer(name), message: 'is not known' });
  return checked;
};

const checkMember = (
  { form, nullable }: Setting,
  value: Json,
  path: string,
  issues: Issue[],
): Json => (value === null && nullable === true ? null : form.check(value, path, issues));
