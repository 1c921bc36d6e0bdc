import { readText } from '@penstock/settings';
import type { Settings } from '../connector/connector';
import type { DraftHeader } from '../requests/draft';
import { perSettings } from '../settings/per-settings';
import { baseUrl } from '../settings/url';

const HOST = 'https://api.stripe.com';
/** Of the API: answers have the members of this version, whatever the account uses otherwise. */
const VERSION = '2025-09-30.clover';

/** An account of Stripe in the form in which each request needs it. */
export interface StripeAccount {
  /** Of customers, without a slash at the end. */
  readonly customers: string;
  readonly headers: readonly DraftHeader[];
  /** Never shown. */
  readonly secrets: readonly string[];
}

export const stripeAccount = perSettings((settings: Settings): StripeAccount => {
  const key = readText(settings, 'apiKey');
  return {
    customers: `${baseUrl(settings, HOST)}/v1/customers`,
    headers: [
      { name: 'Authorization', value: `Bearer ${key}` },
      { name: 'Stripe-Version', value: VERSION },
    ],
    secrets: [key],
  };
});
