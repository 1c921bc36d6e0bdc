import { Invalid, type Issue, type Json, type JsonObject } from '@penstock/schema';

/** A value that {@link JSON.stringify} accepts; forms are described by it. */
export type Plain =
  | null
  | boolean
  | number
  | string
  | readonly Plain[]
  | { readonly [name: string]: Plain };

/** Describes and checks the value of a setting. */
export interface Form {
  /**
   * Description in the notation of types, plus `minLength` of texts and `required`, `secret` and `default` of
   * properties.
   */
  readonly type: { readonly [name: string]: Plain };
  /** Whether the value as a whole is a secret. */
  readonly secret: boolean;
  /**
   * Adds an issue for every violation. No message repeats the value: it may be a secret.
   *
   * @param path JSON pointer of the value within the settings.
   * @returns the value with defaults filled in; not to be used when there were issues.
   */
  check(json: Json, path: string, issues: Issue[]): Json;
  /** Returns the value with each secret replaced by what `change` returns. The value must have passed {@link check}. */
  mapSecrets(json: Json, change: (secret: string) => string): Json;
}

/** One setting, or one member of a setting that is an object. */
export interface Setting {
  readonly name: string;
  readonly form: Form;
  readonly description: string;
  readonly required?: boolean;
  /** Whether `null` is accepted in place of a value. */
  readonly nullable?: boolean;
  /** Used when the setting is absent. */
  readonly default?: Json;
}

/** Builds the `checkSettings` of a connector from its form, which must be that of an object. It throws `Invalid`. */
export const checkedBy =
  (form: Form) =>
  (settings: Json): JsonObject => {
    const issues: Issue[] = [];
    const checked = form.check(settings, '', issues);
    if (issues.length > 0) throw new Invalid(issues);
    return checked as JsonObject;
  };

/** Collects every secret that the settings contain, except empty ones. */
export const secretsIn = (form: Form, settings: JsonObject): string[] => {
  const secrets: string[] = [];
  form.mapSecrets(settings, (secret) => {
    if (secret !== '') secrets.push(secret);
    return secret;
  });
  return secrets;
};
