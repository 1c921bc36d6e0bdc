import { isJsonObject, type Issue, type JsonObject } from '@penstock/schema';
import { type Form, members, word } from '@penstock/settings';
import { apiKey } from '../settings/api-key';
import { baseUrlSetting, webBaseUrl } from '../settings/url';

const MAX_KEY_LENGTH = 255;

const form = members(
  {
    name: 'apiKey',
    form: apiKey({ maxLength: MAX_KEY_LENGTH }),
    description: 'API key of the project.',
    required: true,
  },
  {
    name: 'cloud',
    form: members({
      name: 'projectRegion',
      form: word('US', 'EU'),
      description: 'Region of the project.',
      required: true,
    }),
    description: 'A project in the cloud of PostHog; either this or selfHosted.',
  },
  {
    name: 'selfHosted',
    form: members({
      name: 'url',
      form: webBaseUrl,
      description: 'Where PostHog is installed.',
      required: true,
    }),
    description: 'An installation of your own; either this or cloud.',
  },
  baseUrlSetting,
);

const reportOneHost = (settings: JsonObject, path: string, issues: Issue[]): void => {
  if (settings.has('cloud') && settings.has('selfHosted'))
    issues.push({ path: `${path}/selfHosted`, message: 'must not stand beside cloud' });
  if (!settings.has('cloud') && !settings.has('selfHosted'))
    issues.push({ path: `${path}/cloud`, message: 'is required without selfHosted' });
};

/** Settings of the `posthog` connector. */
export const posthogForm: Form = {
  ...form,
  check: (json, path, issues) => {
    const checked = form.check(json, path, issues);
    if (isJsonObject(json)) reportOneHost(json, path, issues);
    return checked;
  },
};
