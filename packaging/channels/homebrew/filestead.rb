class Filestead < Formula
  desc "Self-hosted web file manager, the successor of File Browser"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license "Apache-2.0"
  depends_on :linux

  on_intel do
    url "@RELEASES@/v@VERSION@/filestead-@VERSION@-linux-x64.tar.gz"
    sha256 "@SUM_X64@"
  end
  on_arm do
    url "@RELEASES@/v@VERSION@/filestead-@VERSION@-linux-arm64-unproven.tar.gz"
    sha256 "@SUM_ARM64@"
  end

  def install
    libexec.install "filestead", "lib"
    bin.install_symlink libexec/"filestead"
    doc.install "README.md", "CHANGELOG.md", "docs"
  end

  service do
    run [opt_bin/"filestead", "--root", var/"filestead/files", "--database", var/"filestead/filestead.db"]
    keep_alive true
  end

  def post_install
    (var/"filestead/files").mkpath
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/filestead version")
  end
end
