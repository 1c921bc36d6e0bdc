import { Module } from '@nestjs/common';
import { CreateApiKey } from './create-api-key';
import { GetOrganization } from './get-organization';
import { RevokeApiKey } from './revoke-api-key';
import { SetOrganizationStatus } from './set-organization-status';

@Module({ controllers: [GetOrganization, CreateApiKey, RevokeApiKey, SetOrganizationStatus] })
export class OrganizationsModule {}
