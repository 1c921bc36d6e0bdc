import { Module } from '@nestjs/common';
import { ErasuresController } from './erasures.controller';

/** People who are erased. */
@Module({ controllers: [ErasuresController] })
export class ErasuresModule {}
