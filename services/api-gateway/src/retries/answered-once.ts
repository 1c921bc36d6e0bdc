import { type CustomDecorator, SetMetadata } from '@nestjs/common';

/** Metadata key: the handler's answer is sent once and not stored. */
export const ANSWERED_ONCE = 'penstock:answered-once';

/** Marks a handler whose repeated requests are answered 409, since its answer is not stored. */
export const AnsweredOnce = (): CustomDecorator => SetMetadata(ANSWERED_ONCE, true);
