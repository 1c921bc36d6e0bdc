import { isJsonArray } from '@penstock/schema';
import { readOptionalObject, readText } from '@penstock/settings';
import { readAnswer } from '../answers/read-answer';
import type { Settings } from '../connector/connector';
import type { IncomingResponse } from '../connector/guarded-http';
import { entryOf } from '../requests/entry-of';
import { JSON_CONTENT, vendorDestination } from '../requests/vendor-destination';
import { baseUrl } from '../settings/url';
import { posthogEvent } from './posthog-event';
import { POSTHOG_EVENT_TYPES } from './posthog-event-types';
import { posthogForm } from './posthog-settings';

const HOSTS: Readonly<Record<string, string>> = {
  US: 'https://us.i.posthog.com',
  EU: 'https://eu.i.posthog.com',
};

/**
 * The batch API of PostHog. The vendor limits a body to 20 MB and has no rate limit of requests; fewer bytes keep the
 * memory of its sender small.
 *
 * Source: PostHog Docs, "Capture and batch API endpoints" and "Rate limits", read in November 2026; the API has no
 * version.
 */
export const posthogDestination = vendorDestination({
  eventTypes: POSTHOG_EVENT_TYPES,
  limits: { maxEvents: 1_000, concurrency: 20 },
  maxBytes: 4_000_000,
  form: posthogForm,
  target: (settings) => ({
    apiKey: readText(settings, 'apiKey'),
    url: `${baseUrl(settings, hostOf(settings))}/batch/`,
    secrets: [readText(settings, 'apiKey')],
  }),
  part: (event) => ({ text: posthogEvent(event), common: '' }),
  draft: (parts, { apiKey, url }) => ({
    url,
    headers: [JSON_CONTENT],
    body: `{"api_key":${JSON.stringify(apiKey)},"batch":[${parts.map(({ text }) => text).join()}]}`,
  }),
  read: (answer, general) =>
    general.kind === 'delivered' && isOverQuota(answer)
      ? { kind: 'unavailable', reason: 'the project is over its quota', status: answer.status }
      : general,
});

const hostOf = (settings: Settings): string => {
  const selfHosted = readOptionalObject(settings, 'selfHosted');
  if (selfHosted !== undefined) return readText(selfHosted, 'url');
  return entryOf(
    HOSTS,
    readText(readOptionalObject(settings, 'cloud') ?? new Map(), 'projectRegion'),
  );
};

/** Events over the quota are dropped, and answered with 200 that names what was dropped. */
const isOverQuota = ({ body }: IncomingResponse): boolean => {
  const dropped = readAnswer(body).get('quota_limited');
  return isJsonArray(dropped) && dropped.includes('events');
};
