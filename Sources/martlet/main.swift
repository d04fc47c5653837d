// SPDX-License-Identifier: Apache-2.0
import Glibc
import MartletCLI
import MartletProtocol

exit(CommandLineClient.run(CommandLineClient.arguments).rawValue)
