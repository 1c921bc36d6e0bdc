import { classify } from './answers/classify';
import type { ErrorText } from './answers/error-text';
import { brevoErrorText } from './brevo/brevo-error';
import { hubspotErrorText } from './hubspot/hubspot-error';
import { klaviyoErrorText } from './klaviyo/klaviyo-error';
import { mailchimpErrorText } from './mailchimp/mailchimp-error';
import { stripeErrorText } from './stripe/stripe-error';

const reasonOf = (errorText: ErrorText, body: unknown): string => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = { status: 400, headers: {}, body: text };
  const outcome = classify(answer, { secrets: ['secret'], errorText, nowMs: 0 });
  if (outcome.kind !== 'rejected') throw new Error(outcome.kind);
  return outcome.reason;
};

it.each<[string, ErrorText, unknown, string]>([
  [
    'Mailchimp',
    mailchimpErrorText,
    {
      type: 'https://mailchimp.com/developer/marketing/docs/errors/',
      ...{
        title: 'Invalid Resource',
        status: 400,
        instance: '995c5cb0-3280-4a6e-808b-3b096d0bb219',
      },
      detail: "The resource submitted could not be validated. For details, see the 'errors' array.",
      errors: [
        { field: 'email_address', message: 'This value should not be blank.' },
        { field: '', message: 'Schema describes object, array found instead' },
      ],
    },
    'Invalid Resource: email_address: This value should not be blank; Schema describes object, array found instead',
  ],
  [
    'Mailchimp, of no field',
    mailchimpErrorText,
    { title: 'Member Exists', status: 400, detail: 'ann is already a list member.', errors: [] },
    'Member Exists: ann is already a list member',
  ],
  [
    'Klaviyo',
    klaviyoErrorText,
    {
      errors: [
        {
          ...{ id: '1', status: 400, code: 'invalid', title: 'Invalid input.' },
          detail: 'Invalid phone number format.',
          source: { pointer: '/data/attributes/phone_number' },
        },
        { id: '2', status: 400, code: 'invalid', title: 'Invalid input.', source: null },
      ],
    },
    'Invalid input: phone_number: Invalid phone number format; Invalid input',
  ],
  [
    'Brevo',
    brevoErrorText,
    { code: 'duplicate_parameter', message: 'email is already in use' },
    'duplicate_parameter: email is already in use',
  ],
  [
    'Stripe',
    stripeErrorText,
    {
      error: {
        ...{ type: 'invalid_request_error', code: 'email_invalid', param: 'email' },
        ...{ message: 'Invalid email address: ann', doc_url: 'https://stripe.com/docs' },
      },
    },
    'email_invalid: email: Invalid email address: ann',
  ],
  [
    'HubSpot',
    hubspotErrorText,
    {
      status: 'error',
      category: 'CONFLICT',
      message: 'Contact already exists',
      correlationId: 'c',
    },
    'CONFLICT: Contact already exists',
  ],
])('the documented error of %s is told in its words', (_, errorText, body, expected) => {
  expect(reasonOf(errorText, body)).toBe(`answered 400: ${expected}`);
});

const ALL = [
  ...[mailchimpErrorText, klaviyoErrorText, brevoErrorText, stripeErrorText, hubspotErrorText],
];

it.each([
  '<html>Bad secret Gateway</html>',
  '',
  '[]',
  '{"errors":[7]}',
  '{"error":"x"}',
  '{"title":7}',
])('what is not documented is told as it stands: %s', (body) => {
  const shown = body.replace('secret', '••••');
  for (const errorText of ALL)
    expect(reasonOf(errorText, body)).toBe(`answered 400${shown === '' ? '' : `: ${shown}`}`);
});

it('a secret is not told, wherever it stands, and a long text is cut', () => {
  const long = 'x'.repeat(1_000);
  const body = {
    ...{ title: 'secret', code: 'secret', category: 'secret', detail: long, message: long },
    ...{ error: { message: `secret ${long}` }, errors: [{ title: 'secret', detail: long }] },
  };
  for (const errorText of ALL) {
    const reason = reasonOf(errorText, body);
    expect(reason).not.toContain('secret');
    expect(reason.length).toBeLessThan(250);
  }
});
