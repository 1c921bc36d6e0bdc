export { BrokerNode } from './broker-node';
export { installKafka } from './install-kafka';
export { type Cluster, type ClusterOptions, startBroker, startCluster } from './start-cluster';
