import { members, text } from '@penstock/settings';
import { apiKey } from '../settings/api-key';
import { baseUrlSetting } from '../settings/url';

const MIN_KEY_LENGTH = 10;
const MAX_KEY_LENGTH = 100;
const MAX_AUDIENCE_LENGTH = 100;

/** The data centre of an account is a part of a host name. */
const DATA_CENTRE = /-([a-z]{1,10}\d{1,6})$/;

/** The data centre that an API key names behind its last hyphen, such as `us21`; undefined: it names none. */
export const dataCentreIn = (key: string): string | undefined => DATA_CENTRE.exec(key)?.[1];

/** Settings of the `mailchimp` connector. */
export const mailchimpForm = members(
  {
    name: 'apiKey',
    form: apiKey({
      minLength: MIN_KEY_LENGTH,
      maxLength: MAX_KEY_LENGTH,
      problem: (key) =>
        dataCentreIn(key) === undefined
          ? 'must end with its data centre, such as -us21'
          : undefined,
    }),
    description: 'API key of the account, with its data centre at the end.',
    required: true,
  },
  {
    name: 'audience',
    form: text({
      maxLength: MAX_AUDIENCE_LENGTH,
      problem: (id) =>
        /^[A-Za-z0-9_-]+$/.test(id)
          ? undefined
          : 'must be the id of an audience: letters, digits, _ and -',
    }),
    description: 'Id of the audience whose members are the users.',
    required: true,
  },
  baseUrlSetting,
);
