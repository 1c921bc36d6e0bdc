import { Invalid, type Issue, type Json, type JsonObject } from '@penstock/schema';

/** What {@link JSON.stringify} takes: how a form is described. */
export type Plain =
  null | boolean | number | string | readonly Plain[] | { readonly [name: string]: Plain };

/** What may stand at one place of the settings. */
export interface Form {
  /**
   * In the notation of types, with `minLength` of texts, and with `required`, `secret` and `default` of
   * properties.
   */
  readonly type: { readonly [name: string]: Plain };
  /** The whole value is a secret. */
  readonly secret: boolean;
  /**
   * Adds an issue for everything that is wrong. No message repeats the value: it may be a secret.
   *
   * @param path JSON pointer of the value within the settings.
   * @returns the value with defaults filled in; of no use when there were issues.
   */
  check(json: Json, path: string, issues: Issue[]): Json;
  /** The same value with each secret in it changed. The value must have passed {@link check}. */
  mapSecrets(json: Json, change: (secret: string) => string): Json;
}

/** One setting, or one member of a setting that is an object. */
export interface Setting {
  readonly name: string;
  readonly form: Form;
  readonly description: string;
  readonly required?: boolean;
  /** `null` may stand instead of a value. */
  readonly nullable?: boolean;
  /** Used when the setting is absent. */
  readonly default?: Json;
}

/** `checkSettings` of a connector with this form, which must be that of an object. */
export const checkedBy =
  (form: Form) =>
  (settings: Json): JsonObject => {
    const issues: Issue[] = [];
    const checked = form.check(settings, '', issues);
    if (issues.length > 0) throw new Invalid(issues);
    return checked as JsonObject;
  };

/** Every secret that the settings hold, the empty ones left out. */
export const secretsIn = (form: Form, settings: JsonObject): string[] => {
  const secrets: string[] = [];
  form.mapSecrets(settings, (secret) => {
    if (secret !== '') secrets.push(secret);
    return secret;
  });
  return secrets;
};
