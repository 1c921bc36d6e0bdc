import type { JsonObject } from '@penstock/schema';
import { readAnswer } from '../answers/read-answer';
import type { Outcome } from '../connector/event-destination';
import type { IncomingResponse } from '../connector/guarded-http';
import type { UserOutcome } from '../connector/user-destination';

/** The application's id of the user within an answer; undefined: it names none. */
export type IdIn = (answer: JsonObject) => string | undefined;

/** The outcome of a request that writes one user: its status decides. */
export const singleOutcome =
  (idIn: IdIn) =>
  ({ body }: IncomingResponse, general: Outcome): readonly UserOutcome[] => {
    if (general.kind !== 'delivered') return [{ ...general, kind: 'rejected' }];
    const id = idIn(readAnswer(body));
    return [{ kind: 'written', ...(id !== undefined && { id }) }];
  };
