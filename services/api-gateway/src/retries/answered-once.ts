import { type CustomDecorator, SetMetadata } from '@nestjs/common';

/** Metadata of a handler: what it answers is told once and kept nowhere. */
export const ANSWERED_ONCE = 'penstock:answered-once';

/** A repetition is answered 409 in place of the answer. */
export const AnsweredOnce = (): CustomDecorator => SetMetadata(ANSWERED_ONCE, true);
