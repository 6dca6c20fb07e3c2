package oatf

func (c *checker) lintPayloads() {}
