import { Refusal, type RequestContext, type Sealed } from '@penstock/contracts';
import type { Seals } from './seals';

/** In place of what a request carries, or its answer, where that holds events or users. */
export interface SealedMessage {
  readonly sealed: Sealed;
}

/** Which message of which request: what was sealed for one opens for no other. */
export interface MessagePlace extends Pick<RequestContext, 'workspace' | 'commandId'> {
  readonly is: 'request' | 'answer';
}

/** A refusal is an answer too: its texts may repeat what was in the request. */
type Outcome<Out> =
  | { readonly out: Out }
  | { readonly refused: Pick<Refusal, 'code' | 'message' | 'kind' | 'details'> };

const contextOf = ({ workspace, commandId, is }: MessagePlace): string =>
  `${workspace}/${is}/${commandId}`;

/** Seals a message for its way over the log. @throws KeyErased */
export const sealMessage = (seals: Seals, message: object, place: MessagePlace): SealedMessage => ({
  sealed: seals.seal(JSON.stringify(message), place.workspace, contextOf(place)),
});

/** The message that was sealed for this place. @throws KeyErased, SealBroken */
export const openMessage = <T>(seals: Seals, { sealed }: SealedMessage, place: MessagePlace): T =>
  JSON.parse(seals.open(sealed, place.workspace, contextOf(place))) as T;

/** Seals what a request has come to: what is answered, or a Refusal. @throws KeyErased */
export const sealOutcome = (
  seals: Seals,
  answered: object | Refusal,
  request: Omit<MessagePlace, 'is'>,
): SealedMessage => {
  const place = { ...request, is: 'answer' } as const;
  if (!(answered instanceof Refusal)) return sealMessage(seals, { out: answered }, place);
  const { code, message, kind, details } = answered;
  return sealMessage(seals, { refused: { code, message, kind, details } }, place);
};

/** What was answered. @throws the Refusal that was sealed; KeyErased, SealBroken */
export const openOutcome = <Out>(
  seals: Seals,
  sealed: SealedMessage,
  request: Omit<MessagePlace, 'is'>,
): Out => {
  const outcome = openMessage<Outcome<Out>>(seals, sealed, { ...request, is: 'answer' });
  if ('out' in outcome) return outcome.out;
  const { code, ...details } = outcome.refused;
  throw new Refusal(code, details);
};
