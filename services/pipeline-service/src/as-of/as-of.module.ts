import { Module } from '@nestjs/common';
import { AsOfController } from './as-of.controller';

@Module({ controllers: [AsOfController] })
export class AsOfModule {}
