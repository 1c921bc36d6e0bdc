import { readOptionalText } from '@penstock/settings';
import type { UserDestination } from '../connector/user-destination';
import { JSON_CONTENT } from '../requests/vendor-destination';
import { sendUsers } from '../users/send-users';
import { singleOutcome } from '../users/single-outcome';
import { fieldsToWrite } from '../users/user-fields';
import {
  batchBody,
  batchOutcomes,
  MAX_MEMBERS,
  memberToWrite,
  takeMembers,
} from './mailchimp-batch';
import { mailchimpTarget } from './mailchimp-target';
import { MAILCHIMP_LIMITS, mailchimpFieldsNow } from './mailchimp-users';

const NO_EMAIL = 'email_address is needed';

const outcome = singleOutcome((answer) => readOptionalText(answer, 'id'));

/**
 * Creates and changes members: up to 150 a request, by their e-mail addresses. A request that is repeated changes those
 * that it has created, so that it may be repeated. A member whose address is to change has a request of its own.
 *
 * Source: Mailchimp Developer, "Batch subscribe or unsubscribe" and "Update list member", version 3.0, read in
 * November 2026.
 */
export const mailchimpUserDestination: UserDestination = {
  schema: async (settings, context) => {
    const fields = await mailchimpFieldsNow(settings, context);
    return fields.kind === 'answered'
      ? { kind: 'answered', value: fieldsToWrite(fields.value) }
      : fields;
  },
  limits: () => ({ ...MAILCHIMP_LIMITS, maxUsers: MAX_MEMBERS }),
  findsRepetitions: true,
  upsert: ({ schema, users }, settings, context) => {
    const { base, headers: access, secrets, errorText } = mailchimpTarget(settings);
    const [first] = users;
    if (first === undefined) throw new TypeError('there is no user to write');
    const headers = [...access, JSON_CONTENT];
    const taken = takeMembers(
      users.slice(0, MAX_MEMBERS).map((user) => memberToWrite(schema, user)),
    );
    if (taken.length > 0)
      return sendUsers(
        {
          draft: { method: 'POST', url: base, headers, body: batchBody(taken) },
          users: taken.map(({ user }) => user),
          ...{ secrets, errorText },
          read: ({ body }, general) =>
            general.kind === 'delivered' ? batchOutcomes(body, taken, secrets) : undefined,
        },
        context,
      );
    if (first.id === null)
      return Promise.resolve({
        kind: 'answered',
        outcomes: [{ kind: 'rejected', reason: NO_EMAIL }],
      });
    const url = `${base}/members/${encodeURIComponent(first.id)}`;
    const { text: body } = memberToWrite(schema, first);
    const draft = { method: 'PATCH' as const, url, headers, body };
    return sendUsers({ draft, users: [first], secrets, errorText, read: outcome }, context);
  },
};
