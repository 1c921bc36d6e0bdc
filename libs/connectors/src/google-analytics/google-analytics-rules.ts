import {
  codePointLength,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
} from '@penstock/schema';
import { EventRefused } from '../connector/event-destination';

const MAX_NAME_LENGTH = 40;
const MAX_PARAMS = 25;
const MAX_TEXT_LENGTH = 100;
/** Longer than {@link MAX_TEXT_LENGTH}. Source: Analytics Help, "Event collection limits". */
const MAX_LENGTHS: Readonly<Record<string, number>> = {
  page_location: 1_000,
  page_referrer: 420,
  page_title: 300,
};
/** The vendor takes events of the last three days. */
const MAX_AGE_MS = 72 * 3_600_000;

const NAME = /^[A-Za-z][A-Za-z0-9_]*$/;
const RESERVED_PREFIX = /^(?:firebase_|ga_|google_|gtag)/;
/** Source: Google Analytics Measurement Protocol, "Reference", reserved event names. */
const RESERVED_NAMES = new Set([
  'ad_activeview',
  'ad_click',
  'ad_exposure',
  'ad_query',
  'ad_reward',
  'adunit_exposure',
  'app_clear_data',
  'app_exception',
  'app_install',
  'app_remove',
  'app_store_refund',
  'app_store_subscription_cancel',
  'app_store_subscription_convert',
  'app_store_subscription_renew',
  'app_update',
  'app_upgrade',
  'dynamic_link_app_open',
  'dynamic_link_app_update',
  'dynamic_link_first_open',
  'error',
  'first_open',
  'first_visit',
  'in_app_purchase',
  'notification_dismiss',
  'notification_foreground',
  'notification_open',
  'notification_receive',
  'notification_send',
  'os_update',
  'session_start',
  'user_engagement',
]);

/** What the vendor drops in silence, having answered 2xx: it is found here. */
export interface MeasuredEvent {
  readonly name: string;
  readonly params: JsonObject;
  /** Milliseconds since 1970. */
  readonly timeMs: number;
}

/**
 * @param nowMs milliseconds since 1970.
 * @throws EventRefused naming the rule that is broken.
 */
export const checkEvent = ({ name, params, timeMs }: MeasuredEvent, nowMs: number): void => {
  checkName(name, 'event name');
  refuseIf(RESERVED_NAMES.has(name), 'the event name is reserved');
  refuseIf(nowMs - timeMs > MAX_AGE_MS, 'the event is older than 72 hours');
  refuseIf(params.size > MAX_PARAMS, `the event has more than ${String(MAX_PARAMS)} parameters`);
  for (const [param, value] of params) {
    checkName(param, 'parameter name');
    checkTexts(value, MAX_LENGTHS[param] ?? MAX_TEXT_LENGTH);
  }
};

const checkName = (name: string, what: string): void => {
  refuseIf(
    name.length > MAX_NAME_LENGTH || !NAME.test(name),
    `the ${what} must be a letter and then letters, digits or _, at most ${String(MAX_NAME_LENGTH)} characters`,
  );
  refuseIf(RESERVED_PREFIX.test(name), `the ${what} has a reserved prefix`);
};

/** Texts at any depth, those of items among them. */
const checkTexts = (value: Json, maxLength: number): void => {
  if (typeof value === 'string')
    refuseIf(
      codePointLength(value) > maxLength,
      `a text of a parameter is longer than ${String(maxLength)} characters`,
    );
  else if (isJsonArray(value)) for (const each of value) checkTexts(each, maxLength);
  else if (isJsonObject(value)) for (const each of value.values()) checkTexts(each, maxLength);
};

const refuseIf = (broken: boolean, rule: string): void => {
  if (broken) throw new EventRefused(rule);
};
