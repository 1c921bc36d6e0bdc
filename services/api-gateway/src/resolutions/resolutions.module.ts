import { Module } from '@nestjs/common';
import { ResolutionRecords } from './resolution-records';
import { ResolutionsController } from './resolutions.controller';

@Module({ controllers: [ResolutionsController], providers: [ResolutionRecords] })
export class ResolutionsModule {}
