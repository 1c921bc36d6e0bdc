import { Module } from '@nestjs/common';
import { AsOfController } from './as-of.controller';
import { ConfigurationAt } from './configuration-at';

@Module({ controllers: [AsOfController], providers: [ConfigurationAt] })
export class AsOfModule {}
