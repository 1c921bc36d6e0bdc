import { Module } from '@nestjs/common';
import { KeysController } from './keys.controller';
import { NewKeys } from './new-key';

/** API keys. */
@Module({ controllers: [KeysController], providers: [NewKeys] })
export class KeysModule {}
