import { isJsonObject, JsonNumber } from '@penstock/schema';
import { type Form, integer, members, tagged, text, word } from '@penstock/settings';
import { webUrl } from '../settings/url';
import { httpHeadersForm, reportAuthorizedTwice } from './http-headers-form';

const MAX_CREDENTIAL_LENGTH = 255;
const MAX_TOKEN_LENGTH = 8_192;

const auth = tagged({
  basic: [
    {
      name: 'username',
      form: text({
        maxLength: MAX_CREDENTIAL_LENGTH,
        problem: (name) => (name.includes(':') ? 'must not hold a colon' : undefined),
      }),
      description: 'User name of basic authentication.',
      required: true,
    },
    {
      name: 'password',
      form: text({ minLength: 0, maxLength: MAX_CREDENTIAL_LENGTH, secret: true }),
      description: 'Password of basic authentication.',
      required: true,
    },
  ],
  bearer: [
    {
      name: 'token',
      form: text({
        maxLength: MAX_TOKEN_LENGTH,
        secret: true,
        problem: (token) =>
          /^[\x21-\x7e]+$/.test(token) ? undefined : 'must be printable ASCII without spaces',
      }),
      description: 'Token of bearer authentication.',
      required: true,
    },
  ],
});

const form = members(
  { name: 'url', form: webUrl, description: 'Where events are sent.', required: true },
  {
    name: 'method',
    form: word('POST', 'PUT', 'PATCH'),
    description: 'Method of the requests.',
    default: 'POST',
  },
  {
    name: 'headers',
    form: httpHeadersForm,
    description: 'Headers that each request carries.',
    default: [],
  },
  {
    name: 'auth',
    form: auth,
    description: 'How requests authenticate; null: they do not.',
    nullable: true,
    default: null,
  },
  {
    name: 'signingSecret',
    form: text({ minLength: 16, maxLength: 255, secret: true }),
    description:
      'Signs each request: Penstock-Signature: t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>">.',
  },
  {
    name: 'batchSize',
    form: integer(1, 1_000),
    description: 'Events in a request; above 1 the body is an array.',
    default: new JsonNumber('1'),
  },
  {
    name: 'timeout',
    form: integer(1, 60),
    description: 'Seconds that a request may take.',
    default: new JsonNumber('30'),
  },
  { name: 'rate', form: integer(1, 10_000), description: 'Requests a second; absent: no limit.' },
);

/** Settings of the `http` connector. */
export const httpForm: Form = {
  ...form,
  check: (json, path, issues) => {
    const checked = form.check(json, path, issues);
    if (isJsonObject(checked)) reportAuthorizedTwice(checked, path, issues);
    return checked;
  },
};
