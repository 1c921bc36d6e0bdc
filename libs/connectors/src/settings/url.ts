import type { JsonObject } from '@penstock/schema';
import { type Form, readOptionalText, type Setting, text } from '@penstock/settings';

const MAX_URL_LENGTH = 2_048;

const webUrlProblem = (given: string): string | undefined => {
  if (!/^https?:\/\/[^\s\p{Cc}]+$/iu.test(given) || !URL.canParse(given))
    return 'must be an http or https URL';
  const { username, password } = new URL(given);
  return username === '' && password === '' ? undefined : 'must not name a user';
};

/** An absolute http or https URL without a user, 1 to 2,048 characters. */
export const webUrl: Form = text({ maxLength: MAX_URL_LENGTH, problem: webUrlProblem });

/** A URL as a request has it: normalised, without a fragment. */
export const requestUrl = (url: string): string => {
  const parsed = new URL(url);
  parsed.hash = '';
  return parsed.href;
};

/** {@link webUrl} to which paths are added: it has no query and no fragment. */
export const webBaseUrl: Form = text({
  maxLength: MAX_URL_LENGTH,
  problem: (given) =>
    webUrlProblem(given) ??
    (/[?#]/.test(given) ? 'must not have a query or a fragment' : undefined),
});

/** The setting that every application has: where its requests go instead of to the vendor. */
export const baseUrlSetting: Setting = {
  name: 'baseURL',
  form: webBaseUrl,
  description: "Takes the place of the vendor's host, path prefix included.",
};

/** {@link baseUrlSetting} of the settings, else the vendor's own; without a slash at the end. */
export const baseUrl = (settings: JsonObject, vendor: string): string =>
  requestUrl(readOptionalText(settings, 'baseURL') ?? vendor).replace(/\/+$/, '');
